import { describe, expect, it } from "vitest";
import { chooseView, isDumbTerminal, type ViewFacts } from "../../../src/chat/choose-view.js";

const TERMINAL: ViewFacts = { stdinIsTty: true, stdoutIsTty: true, env: { TERM: "xterm" }, plain: false, screenReader: false };

describe("the view of a chat", () => {
  it.each<{ name: string; facts: Partial<ViewFacts>; view: "screen" | "lines" }>([
    { name: "a terminal", facts: {}, view: "screen" },
    { name: "a pipe at the input", facts: { stdinIsTty: false }, view: "lines" },
    { name: "a pipe at the output", facts: { stdoutIsTty: false }, view: "lines" },
    { name: "a dumb terminal", facts: { env: { TERM: "dumb" } }, view: "lines" },
    { name: "--plain", facts: { plain: true }, view: "lines" },
    { name: "--screen-reader", facts: { screenReader: true }, view: "lines" },
  ])("is $view for $name", ({ facts, view }) => {
    expect(chooseView({ ...TERMINAL, ...facts })).toBe(view);
  });

  it("takes a terminal without a name for a dumb one, but on Windows", () => {
    expect(isDumbTerminal({}, "linux")).toBe(true);
    expect(isDumbTerminal({ TERM: "" }, "linux")).toBe(true);
    expect(isDumbTerminal({}, "win32")).toBe(false);
  });
});

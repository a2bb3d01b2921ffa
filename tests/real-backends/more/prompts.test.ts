import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bigText } from "../directives.js";
import { MORE_BACKEND_IDS, type MoreBackendId } from "./backends.js";
import { onMoreStage } from "./stage.js";

interface PromptCase {
  readonly title: string;
  readonly prompt: string;
  /** What arrives where that is not the same. */
  readonly arrives?: Partial<Record<MoreBackendId, string>>;
}

const CASES: readonly PromptCase[] = [
  { title: "that begins with a dash", prompt: "-x --help is what?" },
  // qwen would run a command of its own: a blank before it makes it a prompt.
  { title: "that is a command", prompt: "/help me with this", arrives: { qwen: " /help me with this" } },
  { title: "that begins with a path", prompt: "/etc/hosts explain it" },
  { title: "that mentions what is not there", prompt: "@nosuchfile !ls $HOME # not a comment" },
  { title: "of several lines with quotes", prompt: 'first line\n\n  indented "quoted" line\n\ttabbed `uname` \\n\nlast 世界 \u{1F600} line' },
  { title: "of 200 KiB", prompt: `begin\n${bigText(200 * 1024)}\nend` },
];

/** These put in a file of the working directory that a prompt names after an @; no flag or variable stops that. */
const PUTS_FILES_IN: readonly MoreBackendId[] = ["gemini", "qwen"];

describe.concurrent.each(MORE_BACKEND_IDS)("the model behind %s hears nothing of a file", (backend) => {
  it("outside of the working directory that a prompt only mentions, nor (but of two) inside", () =>
    onMoreStage(backend, {}, async ({ run, server, place }) => {
      writeFileSync(join(place.cwd, "inside.txt"), "the inner secret");
      writeFileSync(join(place.outside, "outside.txt"), "the outer secret");
      const prompt = `compare @inside.txt with @${join(place.outside, "outside.txt")} please`;
      const ended = await run(["--json", "--", prompt]);
      expect(ended.result).toMatchObject({ exitCode: 0 });
      expect(JSON.stringify(server.calls[0]?.body)).toContain("please");
      expect(JSON.stringify(server.calls[0]?.body).includes("inner secret")).toBe(PUTS_FILES_IN.includes(backend));
      expect(JSON.stringify(server.calls[0]?.body)).not.toContain("outer secret");
    }));
});

describe.concurrent.each(MORE_BACKEND_IDS)("the model behind %s hears a prompt", (backend) => {
  it.each(CASES)("$title", ({ prompt, arrives }) =>
    onMoreStage(backend, {}, async ({ run, server, place }) => {
      const file = join(place.outside, "prompt.md");
      writeFileSync(file, prompt);
      const ended = await run(["--json", "--literal", ...(prompt.length > 100_000 ? ["--file", file] : ["--", prompt])]);
      expect(ended.result).toMatchObject({ exitCode: 0, status: "success" });
      // Blanks at the end are their own business.
      const expected = (arrives?.[backend] ?? prompt).trimEnd();
      const heard = (server.calls[0]?.prompt ?? "").trimEnd();
      expect(heard.length).toBe(expected.length);
      expect(heard).toBe(expected);
    }),
  );
});

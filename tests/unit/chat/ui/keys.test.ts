import { describe, expect, it } from "vitest";
import { createKeyParser, PASTE_END, PASTE_START, type Key } from "../../../../src/chat/ui/keys.js";

const press = (name: string): Key => ({ type: "press", name });
const text = (typed: string): Key => ({ type: "text", text: typed });
const paste = (pasted: string): Key => ({ type: "paste", text: pasted });
const ESC = "\u001B";

describe("createKeyParser", () => {
  it.each<[string, string, readonly Key[]]>([
    ["letters", "hello wörld 👍🏽", [text("hello wörld 👍🏽")]],
    ["Enter after letters in one piece", "hi\r", [text("hi"), press("enter")]],
    ["Ctrl-J", "\n", [press("ctrl-j")]],
    ["control letters", "\u0003\u0004\u000C\u000F", [press("ctrl-c"), press("ctrl-d"), press("ctrl-l"), press("ctrl-o")]],
    ["Tab and Shift-Tab", `\t${ESC}[Z`, [press("tab"), press("shift-tab")]],
    ["both backspaces", "\u007F\b", [press("backspace"), press("backspace")]],
    ["arrows", `${ESC}[A${ESC}[B${ESC}[C${ESC}[D`, [press("up"), press("down"), press("right"), press("left")]],
    ["arrows of the application mode", `${ESC}OA${ESC}OB`, [press("up"), press("down")]],
    ["arrows with modifiers", `${ESC}[1;5D${ESC}[1;3C${ESC}[1;2A${ESC}${ESC}[D`, [press("ctrl-left"), press("alt-right"), press("shift-up"), press("alt-left")]],
    ["keys with numbers", `${ESC}[3~${ESC}[5~${ESC}[6~${ESC}[1~${ESC}[4~`, [press("delete"), press("page-up"), press("page-down"), press("home"), press("end")]],
    ["Home and End", `${ESC}[H${ESC}OF`, [press("home"), press("end")]],
    ["Alt with a letter, Enter and backspace", `${ESC}b${ESC}\r${ESC}\u007F`, [press("alt-b"), press("alt-enter"), press("alt-backspace")]],
    ["Shift-Enter as xterm tells it", `${ESC}[27;2;13~`, [press("shift-enter")]],
    ["Shift-Enter, Esc and Ctrl-C as kitty tells them", `${ESC}[13;2u${ESC}[27u${ESC}[99;5u`, [press("shift-enter"), press("esc"), press("ctrl-c")]],
    ["a letter as kitty tells it", `${ESC}[97u${ESC}[97;2u`, [text("a"), text("A")]],
    ["answers of the terminal, which are no keys", `${ESC}[?1;2c${ESC}[12;40Rx`, [text("x")]],
    ["a paste, whose lines end in any way", `${PASTE_START}a\r\nb\rc${PASTE_END}`, [paste("a\nb\nc")]],
    ["a paste that holds sequences and Enter", `${PASTE_START}${ESC}[A\r${PASTE_END}z`, [paste(`${ESC}[A\n`), text("z")]],
  ])("reads %s", (_what, input, keys) => {
    expect(createKeyParser().feed(input)).toEqual(keys);
  });

  it("reads the same whatever the pieces that the input comes in", () => {
    const input = `one${ESC}[1;5D${PASTE_START}pasted\r${ESC}[200 text${PASTE_END}${ESC}[A\rtwo`;
    const whole = createKeyParser().feed(input);
    for (let size = 1; size < input.length; size += 1) {
      const parser = createKeyParser();
      const keys = (input.match(new RegExp(`[\\s\\S]{1,${String(size)}}`, "g")) ?? []).flatMap((piece) => parser.feed(piece));
      expect(joinText(keys), `pieces of ${String(size)}`).toEqual(whole);
    }
  });

  it("takes an Esc for the key only when nothing follows", () => {
    const parser = createKeyParser();
    expect(parser.feed(ESC)).toEqual([]);
    expect(parser.patienceMs()).toBeGreaterThan(0);
    expect(parser.flush()).toEqual([press("esc")]);
    expect(parser.patienceMs()).toBeNull();
    parser.feed(ESC);
    expect(parser.feed("[A")).toEqual([press("up")]);
  });

  it("gives the keyboard back when the end of a paste never comes", () => {
    const parser = createKeyParser();
    expect(parser.feed(`${PASTE_START}half`)).toEqual([]);
    expect(parser.flush()).toEqual([paste("half")]);
    expect(parser.feed("x")).toEqual([text("x")]);
  });

  it("reads a paste of ten megabytes in small pieces without going over it again and again", () => {
    const parser = createKeyParser();
    const piece = "0123456789abcde\n".repeat(64);
    parser.feed(PASTE_START);
    for (let count = 0; count < 10_000; count += 1) parser.feed(piece);
    const [key] = parser.feed(PASTE_END);
    expect(key).toMatchObject({ type: "paste" });
    expect(key?.type === "paste" ? key.text.length : 0).toBe(piece.length * 10_000);
  });
});

/** Letters may come one by one. */
function joinText(keys: readonly Key[]): readonly Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (key.type === "text" && last?.type === "text") joined[joined.length - 1] = text(last.text + key.text);
    else joined.push(key);
  }
  return joined;
}

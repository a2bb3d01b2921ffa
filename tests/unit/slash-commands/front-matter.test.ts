import fc from "fast-check";
import * as toml from "smol-toml";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { readFields } from "../../../src/slash-commands/front-matter-fields.js";
import { normaliseText, parseMarkdownCommand, parseTomlCommand, type ParsedCommandFile } from "../../../src/slash-commands/parse-command-file.js";
import { parseSimpleFields } from "../../../src/slash-commands/simple-fields.js";

function parse(text: string): ParsedCommandFile {
  return parseMarkdownCommand(normaliseText(text), "claude", { yaml });
}

/** Each level names the one before ten times: ten thousand million words once they are put in. */
const ALIAS_BOMB = [..."abcdefghij"]
  .map((name, index, names) => `disallowed-tools${name}: &${name}\n${`  - ${index === 0 ? "x" : `*${names[index - 1] ?? ""}`}\n`.repeat(10)}`)
  .join("");

function fieldsOf(frontMatter: string): Extract<ParsedCommandFile, { type: "command" }> {
  const parsed = parse(`---\n${frontMatter}\n---\nBody`);
  if (parsed.type !== "command") throw new Error(JSON.stringify(parsed));
  return parsed;
}

describe("a Markdown command", () => {
  it.each([
    ["a byte order mark", "\uFEFF---\ndescription: d\n---\nBody\n"],
    ["Windows line ends", "---\r\ndescription: d\r\n---\r\nBody\r\n"],
    ["blanks after the marks", "---  \ndescription: d\n---\t\n\n\nBody\n\n"],
    ["three dots at the end", "---\ndescription: d\n...\nBody"],
  ])("is read with %s", (_title, text) => {
    expect(parse(text)).toMatchObject({ type: "command", text: "Body", description: "d" });
  });

  it.each([
    ["without front matter", "# The title\n\nBody", "# The title\n\nBody", "The title"],
    ["with a rule above it", "---\n\nBody", "---\n\nBody", "Body"],
    ["with a rule further down", "Body\n---\na: b\n---\nmore", "Body\n---\na: b\n---\nmore", "Body"],
    ["with empty front matter", "---\n---\nBody", "Body", "Body"],
    ["with comments alone", "---\n# nothing yet\n---\nBody", "Body", "Body"],
  ])("%s is its text", (_title, text, body, description) => {
    expect(parse(text)).toMatchObject({ type: "command", text: body, description });
  });

  it("takes a description with a colon, and hints in brackets, as people mean them", () => {
    expect(fieldsOf("description: Fix: the bug # really\nargument-hint: [file] [focus]").fields).toMatchObject({
      description: "Fix: the bug # really",
      argumentHint: "[file] [focus]",
    });
    expect(fieldsOf("argument-hint: [a: b]").fields.argumentHint).toBe("[a: b]");
    expect(fieldsOf("argument-hint: [file, focus]").fields.argumentHint).toBe("[file, focus]");
    expect(fieldsOf("argument-hint:\n  - file\n  - focus").fields.argumentHint).toBe("file focus");
    expect(fieldsOf("author: me: myself\ndescription: d").fields.description).toBe("d");
  });

  it("takes numbers, dates and words like yes for text where text is meant", () => {
    for (const written of ["2024-01-01", "42", "1e3", "yes", "true"]) expect(fieldsOf(`description: ${written}`).fields.description).toBe(written);
  });

  it("reads text over several lines", () => {
    expect(fieldsOf("description: >\n  two\n  lines\nmodel: opus").fields).toMatchObject({ description: "two lines", model: "opus" });
  });

  it.each([
    ["allowed-tools: Bash(git add:*), Read Write", ["Bash(git add:*)", "Read", "Write"]],
    ["allowed-tools: [Read, 'Bash(npm run *)']", ["Read", "Bash(npm run *)"]],
    ["allowed-tools:\n  - Read\n  - Edit", ["Read", "Edit"]],
    ["tools: ['search']", ["search"]],
    ["allowed-tools: '*'", ["*"]],
    ["description: d", null],
  ])("reads the tools of %j", (source, tools) => {
    expect(fieldsOf(source).fields.allowedTools).toEqual(tools);
  });

  it.each(["true", "True", "yes", "on", "1", "'true'"])("takes %s for true", (word) => {
    expect(fieldsOf(`disable-model-invocation: ${word}\nuser-invocable: ${word}`).fields).toMatchObject({ modelInvocable: false, userInvocable: true });
  });

  it.each(["false", "no", "OFF", "0"])("takes %s for false", (word) => {
    expect(fieldsOf(`disable-model-invocation: ${word}\nuser-invocable: ${word}`).fields).toMatchObject({ modelInvocable: true, userInvocable: false });
  });

  it("shortens a long description, and leaves control characters out of a listing", () => {
    expect(fieldsOf(`description: "${"x".repeat(5000)}"`).description).toHaveLength(200);
    expect(parse("\u001b]0;owned\u0007 Body \u202e text")).toMatchObject({ description: "]0;owned Body text" });
  });
});

describe("front matter that cannot be read never drops a restriction", () => {
  it.each([
    ["a list that does not close", "---\ndisallowed-tools: [Bash, {\n---\nBody", 3],
    ["a field twice", "---\nmodel: a\nmodel: b\n---\nBody", 3],
    ["a tab as indentation", "---\nmetadata:\n\tx: 1\n---\nBody", 3],
    ["no end", "---\nuser-invocable: false\nBody", 1],
    ["a list instead of fields", "---\n- user-invocable\n---\nBody", 2],
    ["nesting without end", `---\ndisallowed-tools: ${"[".repeat(20_000)}\n---\nBody`, null],
    ["a bomb of aliases", `---\n${ALIAS_BOMB}\n---\nBody`, null],
    ["forbidden tools that are no list", "---\ndisallowed-tools: {a: b}\n---\nBody", 2],
  ])("%s: the command is refused with its line", (_title, text, line) => {
    const parsed = parse(text);
    expect(parsed.type).toBe("broken");
    if (parsed.type === "broken" && line !== null) expect(parsed.problem).toMatchObject({ severity: "error", line });
  });

  it("an unreadable switch counts as the stricter one and is reported with its line", () => {
    const { fields, problems } = fieldsOf("description: d\ndisable-model-invocation: perhaps\nuser-invocable: [x]");
    expect(fields).toMatchObject({ modelInvocable: false, userInvocable: false });
    expect(problems).toMatchObject([
      { severity: "warning", line: 4 },
      { severity: "warning", line: 3 },
    ]);
  });

  it("an unreadable grant counts as none", () => {
    const { fields, problems } = fieldsOf("allowed-tools: 5\nx: [a]");
    expect(fields.allowedTools).toBeNull();
    expect(problems).toMatchObject([{ severity: "warning", line: 2 }]);
  });

  it("hooks, which are not run, are reported", () => {
    expect(fieldsOf("hooks:\n  PreToolUse: []").problems).toMatchObject([{ reason: "hooks: hooks are not run", line: 2 }]);
  });

  it("Codex' prompts know no restrictions: the text is kept, the fault reported", () => {
    expect(parseMarkdownCommand("---\ndisallowed-tools: [x\n---\nBody", "codex", { yaml })).toMatchObject({ type: "command", text: "Body", problems: [{ severity: "warning" }] });
  });
});

describe("the short way of reading simple fields", () => {
  const word = fc.constantFrom("plain text", "a: b", "[x] [y]", "[a, b]", '"quoted: # text"', "'single'", "true", "no", "12", "1.5", "~", "null", "- x", "*a", "x # note", "", "end:", "{a}", "#x", "@x", "é ü", "a\\b", '"a\\n"', "0x10", "2024-01-01", "| ", "> x", "? x", "%x", "`x`", "!x", "&x y");
  const key = fc.constantFrom("description", "argument-hint", "when_to_use", "name", "model", "allowed-tools", "disable-model-invocation", "user-invocable", "arguments", "author");
  const source = fc.array(fc.tuple(key, word), { maxLength: 4 }).map((pairs) => pairs.map(([name, value]) => `${name}: ${value}\n`).join(""));

  it("gives up, or means the same as the YAML parser", () => {
    fc.assert(
      fc.property(source, (text) => {
        const simple = parseSimpleFields(text);
        if (simple === null) return;
        const viaYaml = parseMarkdownCommand(`---\n${text}x-list: [1]\n---\nBody`, "claude", { yaml });
        expect(viaYaml.type).toBe("command");
        if (viaYaml.type === "command") expect(readFields(simple, text).fields).toEqual(viaYaml.fields);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a TOML command", () => {
  it.each([
    ['prompt = "p"', { type: "command", text: "p", description: "p" }],
    ['description = "d: e"\nprompt = """\np\n"""', { type: "command", text: "p", description: "d: e" }],
    ['prompt = "p"\nunknown = [1]', { type: "command", text: "p" }],
    ['prompt = "p"\ndescription = 5', { type: "command", problems: [{ severity: "warning", line: 2 }] }],
    ['description = "d"', { type: "broken", problem: { line: null, reason: "prompt: expected a string" } }],
    ["\nprompt = 5", { type: "broken", problem: { line: 2 } }],
    ['x = 1\nprompt = "open', { type: "broken", problem: { line: 2 } }],
    ['prompt = "  "', { type: "broken", problem: { reason: "the prompt is empty" } }],
  ])("%j", (text, expected) => {
    expect(parseTomlCommand(text, { toml })).toMatchObject(expected);
  });
});

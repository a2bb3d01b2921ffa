import { describe, expect, it } from "vitest";
import { filterCommandsForMode, getEffectiveCommandType, getEffectiveSupportedModes } from "../../../src/slash-commands/modes.js";
import { CommandKind, EXECUTION_MODES, type CommandType, type ExecutionMode, type SlashCommand } from "../../../src/slash-commands/types.js";

const INTERACTIVE: readonly ExecutionMode[] = ["interactive"];

interface ModeCase {
  readonly title: string;
  readonly kind: SlashCommand["kind"];
  readonly commandType?: CommandType;
  readonly supportedModes?: readonly ExecutionMode[];
  readonly modes: readonly ExecutionMode[];
}

const MODE_CASES: readonly ModeCase[] = [
  { title: "an explicit list beats the kind", kind: CommandKind.BUILT_IN, supportedModes: ["acp"], modes: ["acp"] },
  { title: "an explicit list beats the type", kind: CommandKind.FILE, commandType: "prompt", supportedModes: ["interactive"], modes: INTERACTIVE },
  { title: "an explicit list may name all modes", kind: CommandKind.BUILT_IN, supportedModes: EXECUTION_MODES, modes: EXECUTION_MODES },
  { title: "an empty list is nowhere", kind: CommandKind.FILE, supportedModes: [], modes: [] },
  { title: "a prompt works everywhere, even a built-in one", kind: CommandKind.BUILT_IN, commandType: "prompt", modes: EXECUTION_MODES },
  { title: "a local command is interactive", kind: CommandKind.BUILT_IN, commandType: "local", modes: INTERACTIVE },
  { title: "a local command from a file is interactive too", kind: CommandKind.FILE, commandType: "local", modes: INTERACTIVE },
  { title: "a dialog is interactive", kind: CommandKind.SKILL, commandType: "local-jsx", modes: INTERACTIVE },
  { title: "a built-in without a type is interactive", kind: CommandKind.BUILT_IN, modes: INTERACTIVE },
  { title: "a file without a type works everywhere", kind: CommandKind.FILE, modes: EXECUTION_MODES },
  { title: "a skill without a type works everywhere", kind: CommandKind.SKILL, modes: EXECUTION_MODES },
  { title: "an MCP prompt without a type works everywhere", kind: CommandKind.MCP_PROMPT, modes: EXECUTION_MODES },
  // @ts-expect-error a caller in plain JavaScript can hand in any kind
  { title: "an unknown kind is interactive", kind: "gadget", modes: INTERACTIVE },
];

describe("getEffectiveSupportedModes", () => {
  it.each(MODE_CASES)("$title", ({ modes, title: _title, ...command }) => {
    expect(getEffectiveSupportedModes(command)).toEqual(modes);
  });
});

describe("getEffectiveCommandType", () => {
  it.each([
    ["built-in", undefined, "local"],
    ["file", undefined, "prompt"],
    ["skill", undefined, "prompt"],
    ["mcp-prompt", undefined, "prompt"],
    ["built-in", "prompt", "prompt"],
    ["file", "local-jsx", "local-jsx"],
  ] as const)("of kind %s with type %s is %s", (kind, commandType, expected) => {
    expect(getEffectiveCommandType(commandType === undefined ? { kind } : { kind, commandType })).toBe(expected);
  });
});

describe("filterCommandsForMode", () => {
  const file: SlashCommand = { name: "file", description: "", kind: CommandKind.FILE };
  const hidden: SlashCommand = { ...file, name: "hidden", hidden: true };
  const builtIn: SlashCommand = { name: "built-in", description: "", kind: CommandKind.BUILT_IN };
  const nowhere: SlashCommand = { ...file, name: "nowhere", supportedModes: [] };
  const namesIn = (mode: ExecutionMode): string[] =>
    filterCommandsForMode([file, hidden, builtIn, nowhere], mode).map((command) => command.name);

  it("keeps what works in the mode and does not look at hidden", () => {
    expect(namesIn("interactive")).toEqual(["file", "hidden", "built-in"]);
    expect(namesIn("non_interactive")).toEqual(["file", "hidden"]);
    expect(namesIn("acp")).toEqual(["file", "hidden"]);
  });

  it("knows no names: a built-in called like a known one gets no favour", () => {
    for (const name of ["init", "summary", "compress", "help"]) {
      expect(filterCommandsForMode([{ ...builtIn, name }], "non_interactive")).toEqual([]);
    }
  });
});

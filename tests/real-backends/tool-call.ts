import type { ToolCall } from "./model-answer.js";
import type { OfferedTool } from "./model-request.js";

/** A call in the words of the tool that the backend offered: its name, and an object or free text as input. */
export interface NamedCall {
  name: string;
  input: Record<string, unknown> | string;
  namespace?: string;
}

/**
 * Translates "run this command" and "write this file" to the backend's own tool. Where the request offers
 * no such tool, the usual name of the dialect is called all the same: that is what an obstinate model would do.
 */
export function toNamedCall(call: ToolCall, tools: readonly OfferedTool[]): NamedCall {
  if ("name" in call) return call;
  const candidates = "bash" in call ? SHELL_TOOLS : "write" in call ? WRITE_TOOLS : EDIT_TOOLS;
  const offered = candidates.find(({ name }) => tools.some((tool) => tool.name === name));
  const chosen = offered ?? fallbackFor(tools, candidates);
  return { name: chosen.name, input: keepKnown(chosen.input(call), tools.find(({ name }) => name === chosen.name)) };
}

/** Two backends may offer a tool of one name with other parameters: what was not offered is left out. */
function keepKnown(input: NamedCall["input"], tool: OfferedTool | undefined): NamedCall["input"] {
  if (typeof input === "string" || tool === undefined || tool.parameters.length === 0) return input;
  const { parameters } = tool;
  return Object.fromEntries(Object.entries(input).filter(([name]) => parameters.includes(name)));
}

interface ToolShape {
  name: string;
  input: (call: Exclude<ToolCall, { name: string }>) => Record<string, unknown> | string;
}

const bashOf = (call: ToolCall): string => ("bash" in call ? call.bash : "");

const SHELL_TOOLS: readonly ToolShape[] = [
  { name: "Bash", input: (call) => ({ command: bashOf(call), description: "Run a command" }) },
  { name: "bash", input: (call) => ({ command: bashOf(call), description: "Run a command", mode: "sync" }) },
  { name: "exec_command", input: (call) => ({ cmd: bashOf(call) }) },
  { name: "shell_command", input: (call) => ({ command: bashOf(call) }) },
  { name: "run_shell_command", input: (call) => ({ command: bashOf(call), description: "Run a command", is_background: false }) },
  { name: "shell", input: (call) => ({ command: ["bash", "-lc", bashOf(call)] }) },
  { name: "run_commands", input: (call) => ({ commands: [bashOf(call)] }) },
];

const WRITE_TOOLS: readonly ToolShape[] = [
  { name: "Write", input: (call) => ("write" in call ? { file_path: call.write, content: call.content } : {}) },
  { name: "write_file", input: (call) => ("write" in call ? { file_path: call.write, content: call.content } : {}) },
  { name: "write", input: (call) => ("write" in call ? { path: call.write, filePath: call.write, content: call.content } : {}) },
  { name: "create", input: (call) => ("write" in call ? { path: call.write, file_text: call.content } : {}) },
  { name: "editor", input: (call) => ("write" in call ? { path: call.write, new_text: call.content } : {}) },
  { name: "apply_patch", input: addFilePatch },
  // codex recognises a patch in a shell command and applies it itself, so that it counts as a file change.
  { name: "exec_command", input: (call) => ({ cmd: toHereDocument(addFilePatch(call)) }) },
];

const EDIT_TOOLS: readonly ToolShape[] = [
  {
    name: "Edit",
    input: (call) => ("edit" in call ? { file_path: call.edit, old_string: call.oldText, new_string: call.newText } : {}),
  },
  {
    name: "edit",
    input: (call) => ("edit" in call ? { path: call.edit, old_str: call.oldText, new_str: call.newText } : {}),
  },
  { name: "apply_patch", input: updateFilePatch },
  { name: "exec_command", input: (call) => ({ cmd: toHereDocument(updateFilePatch(call)) }) },
];

function addFilePatch(call: ToolCall): string {
  if (!("write" in call)) return "";
  const lines = call.content.split("\n").map((line) => `+${line}`);
  return ["*** Begin Patch", `*** Add File: ${call.write}`, ...lines, "*** End Patch", ""].join("\n");
}

function updateFilePatch(call: ToolCall): string {
  if (!("edit" in call)) return "";
  return ["*** Begin Patch", `*** Update File: ${call.edit}`, "@@", `-${call.oldText}`, `+${call.newText}`, "*** End Patch", ""].join("\n");
}

function toHereDocument(patch: string): string {
  return `apply_patch <<'PATCH'\n${patch}PATCH\n`;
}

/** The backends write their tools' names in one style each, which tells what a withheld tool would be called. */
function fallbackFor(tools: readonly OfferedTool[], candidates: readonly ToolShape[]): ToolShape {
  // gemini and qwen write theirs in snake_case.
  const isSnakeCase = tools.some(({ name }) => /^(read|grep|write)_/.test(name));
  const snake = isSnakeCase ? candidates.find(({ name }) => /^(run|write)_/.test(name)) : undefined;
  if (snake !== undefined) return snake;
  // copilot, which offers "view" at every level, creates a file with "create".
  const copilots = tools.some(({ name }) => name === "view") ? candidates.find(({ name }) => name === "create") : undefined;
  if (copilots !== undefined) return copilots;
  const isCapitalised = tools.some(({ name }) => /^[A-Z]/.test(name));
  const fits = ({ name }: ToolShape): boolean => /^[A-Z]/.test(name) === isCapitalised;
  const found = candidates.find(fits) ?? candidates[0];
  if (found === undefined) throw new Error("no tool shape to fall back on");
  return found;
}

import type { CommandTemplate, DialectId } from "../types.js";
import { claudeDialect } from "./claude.js";
import { codexDialect } from "./codex.js";
import type { Dialect } from "./dialect.js";
import { geminiDialect, qwenDialect } from "./gemini.js";
import { copilotDialect, plainDialect } from "./plain.js";
import { vscodeDialect } from "./vscode.js";

const DIALECTS: Readonly<Record<DialectId, Dialect>> = {
  jlgcli: claudeDialect,
  claude: claudeDialect,
  codex: codexDialect,
  gemini: geminiDialect,
  qwen: qwenDialect,
  vscode: vscodeDialect,
  copilot: copilotDialect,
  agents: plainDialect,
};

/** The rules for a template. Our own Markdown follows Claude's, our own TOML Gemini's, since these are the files people bring. */
export function findDialect(template: CommandTemplate): Dialect {
  return template.dialect === "jlgcli" && template.form === "toml" ? geminiDialect : DIALECTS[template.dialect];
}

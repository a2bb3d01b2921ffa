import { AGENT_MARKERS } from "../process/child-env.js";
import type { Examination } from "./doctor-checks.js";

/**
 * The findings as Markdown for a bug report. Of the environment it has names alone.
 * @param hide takes out what nobody else should see; asked before markup is escaped, which would disguise it.
 */
export function toMarkdown({ checks, backends, env }: Examination, hide: (text: string) => string): string {
  const toRows = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
    [head, head.map(() => "---"), ...rows.map((cells) => cells.map((cell) => escapeCell(hide(cell))))].map((cells) => `| ${cells.join(" | ")} |`);
  return [
    "### jlgcli doctor",
    "",
    ...toRows(["", "", ""], checks.map(({ level, name, message }) => [level, name, message])),
    "",
    "### Backends",
    "",
    ...toRows(
      ["id", "status", "version", "tested", "program", "source"],
      backends.map(({ id, status, version, versionTested, program, source }) => [id, status, ...[version, versionTested, program].map(toCell), source ?? "jlgcli"]),
    ),
    "",
    "### Variables that are set",
    "",
    listVariables(env),
    "",
  ].join("\n");
}

function toCell(value: string | boolean | null): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "unknown";
}

/** One line, and nothing in it that ends the cell or is read as markup. */
function escapeCell(cell: string): string {
  return cell.replaceAll(/\s+/g, " ").replaceAll(/[\\|`<>*_[\]]/g, (mark) => `\\${mark}`);
}

/** Names that change how a run goes; none of others, which are nobody's business. */
const TELLING_NAMES = /^(JLGCLI_\w+|NODE_\w+|(https?|all|no)_proxy|(CLAUDE|ANTHROPIC|CODEX|OPENAI|COPILOT|GH|GITHUB)_\w+|CI|TERM|NO_COLOR|FORCE_COLOR|TMPDIR|WSL_DISTRO_NAME)$/i;

function listVariables(env: Readonly<Record<string, string>>): string {
  const names = Object.keys(env).filter((name) => TELLING_NAMES.test(name) || AGENT_MARKERS.includes(name));
  return names.length === 0 ? "none that matters" : names.sort().map((name) => `\`${name}\``).join(", ");
}

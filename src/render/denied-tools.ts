import { ACCESS_LEVELS, type RunResult } from "../events/schema.js";

/** One line about refused tools; null where none was refused. */
export function describeDeniedTools(result: RunResult): string | null {
  if (result.deniedTools === null) {
    return result.status === "success" ? `${result.backend} does not tell whether tools were refused` : null;
  }
  if (result.deniedTools.length === 0) return null;
  const names = [...new Set(result.deniedTools.map((tool) => tool.name))].join(", ");
  const count = result.deniedTools.length;
  const calls = count === 1 ? "1 tool call was refused" : `${count} tool calls were refused`;
  return `${calls} (${names}); a higher level would allow more: ${ACCESS_LEVELS.slice(1).map((level) => `--access ${level}`).join(" or ")}`;
}

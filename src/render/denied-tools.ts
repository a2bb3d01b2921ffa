import { ACCESS_LEVELS, type AccessLevel, type RunResult } from "../events/schema.js";

/**
 * One line about refused tools; null where none was refused.
 * @param access the level of the run; null where it is not known.
 */
export function describeDeniedTools(result: RunResult, access: AccessLevel | null): string | null {
  if (result.deniedTools === null) {
    return result.status === "success" ? `${result.backend} does not tell whether tools were refused` : null;
  }
  if (result.deniedTools.length === 0) return null;
  const names = [...new Set(result.deniedTools.map((tool) => tool.name))].join(", ");
  const count = result.deniedTools.length;
  const calls = count === 1 ? "1 tool call was refused" : `${count} tool calls were refused`;
  return `${calls} (${names}); ${describeRemedy(access ?? "read-only")}`;
}

/** At the highest level it was a rule: one of the backend's settings, or of a command that forbids tools. */
function describeRemedy(access: AccessLevel): string {
  const higher = ACCESS_LEVELS.slice(ACCESS_LEVELS.indexOf(access) + 1).map((level) => `--access ${level}`);
  return higher.length === 0 ? "no access level would allow them" : `a higher level would allow more: ${higher.join(" or ")}`;
}

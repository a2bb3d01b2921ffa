import { expect, it } from "vitest";
import type { AccessLevel, DeniedTool } from "../../../src/events/schema.js";
import { describeDeniedTools } from "../../../src/render/denied-tools.js";
import { toEndedResult } from "../../../src/runner/run.js";

const describeFor = (deniedTools: readonly DeniedTool[] | null, access: AccessLevel | null): string | null =>
  describeDeniedTools({ ...toEndedResult({ exitCode: 0, text: "done", status: "success" }, { backend: "claude", cwd: "/" }), deniedTools }, access);
const refused = (...names: readonly string[]): readonly DeniedTool[] => names.map((name) => ({ name, toolCallId: null, reason: null }));

it.each<[AccessLevel | null, string]>([
  ["read-only", "2 tool calls were refused (Bash); a higher level would allow more: --access workspace-write or --access full"],
  [null, "2 tool calls were refused (Bash); a higher level would allow more: --access workspace-write or --access full"],
  ["workspace-write", "2 tool calls were refused (Bash); a higher level would allow more: --access full"],
  ["full", "2 tool calls were refused (Bash); no access level would allow them"],
])("tools that were refused at %s are told with the levels above it", (access, line) => {
  expect(describeFor(refused("Bash", "Bash"), access)).toBe(line);
});

it("nothing is told where none was refused, and that it is not known where the backend does not tell", () => {
  expect(describeFor([], "full")).toBeNull();
  expect(describeFor(null, "full")).toBe("claude does not tell whether tools were refused");
});

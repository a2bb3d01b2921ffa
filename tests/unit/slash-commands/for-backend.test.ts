import { describe, expect, it } from "vitest";
import type { BackendRecord } from "../../../src/adapters/record.js";
import { forBackend } from "../../../src/slash-commands/for-backend.js";
import type { DialectId } from "../../../src/slash-commands/types.js";

type Expanded = Parameters<typeof forBackend>[0];

const PLACES = { env: {} };

function expanded(dialect: DialectId | null, asks: Partial<Pick<Expanded, "model" | "allowedTools" | "disallowedTools">>): Expanded {
  const command = { name: "fix", kind: "file", source: "skill-dir-command", sourceLabel: "Custom", dialect, filePath: "/fix.md" } as const;
  return { type: "submit_prompt", prompt: "Fix it", command, notices: ["first"], model: null, allowedTools: null, disallowedTools: null, ...asks };
}

describe("tools that a command forbids", () => {
  it.each<[DialectId, string]>([["claude", "Bash(git push:*)"], ["copilot", "shell(git push:*)"]])("are kept for %s, in whose words they are", async (dialect, tool) => {
    expect(await forBackend(expanded(dialect, { disallowedTools: [tool] }), dialect, PLACES)).toMatchObject({ disallowedTools: [tool], notices: ["first"] });
  });

  it.each<[string, DialectId | null, string, string]>([
    ["the backend is another vendor's", "claude", "copilot", "of claude: not enforced on copilot"],
    ["the backend has no way to forbid any", "codex", "codex", "of codex: not enforced on codex"],
    ["they are the words of no vendor", "jlgcli", "claude", "of jlgcli: not enforced on claude"],
    ["it is written for nobody", null, "claude", "of another tool: not enforced on claude"],
    ["the backend is not known", "claude", "nobody", "of claude: not enforced on nobody"],
  ])("are told by name where %s", async (_title, dialect, backend, told) => {
    const answer = await forBackend(expanded(dialect, { disallowedTools: ["Bash", "Write"] }), backend, PLACES);
    expect(answer).toMatchObject({ disallowedTools: null, notices: ["first", `/fix forbids the tools Bash, Write ${told}`] });
  });

  it("are kept for a backend of the user's own that can forbid them and has a dialect's name", async () => {
    const record: BackendRecord = {
      id: "agents",
      displayName: "Mine",
      traits: { executorId: "agents", command: "mine", args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: [] } },
      options: { disallowTools: { args: ["--no={value}"] } },
    };
    const places = { env: {}, records: { agents: record } };
    expect(await forBackend(expanded("agents", { disallowedTools: ["x"] }), "agents", places)).toMatchObject({ disallowedTools: ["x"], notices: ["first"] });
  });

  it("are none where the list is empty", async () => {
    expect(await forBackend(expanded("claude", { disallowedTools: [] }), "codex", PLACES)).toMatchObject({ disallowedTools: null, notices: ["first"] });
  });
});

it("tells of tools that a command asks for, and never passes them on as a grant", async () => {
  const answer = await forBackend(expanded("claude", { allowedTools: ["Bash"], disallowedTools: ["Write"], model: "opus" }), "claude", PLACES);
  expect(answer).toMatchObject({ model: "opus", disallowedTools: ["Write"], notices: ["first", "/fix asks for tools of its own: what tools may do is decided by --access alone"] });
});

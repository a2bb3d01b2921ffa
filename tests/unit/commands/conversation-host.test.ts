import { describe, expect, it } from "vitest";
import { createConversationHost, type ConversationFlags } from "../../../src/commands/conversation-host.js";
import type { McpServerConfig } from "../../../src/adapters/types.js";
import { appendTurn, conversationsFolderOf, loadConversation } from "../../../src/conversation/store.js";
import { makeTempTree } from "../config/temp-tree.js";
import { aTurn } from "../conversation/fakes.js";
import { recordIo } from "./recorded-io.js";

function keep(settings = { backend: "claude", model: "opus", access: "workspace-write" as const }) {
  const tree = makeTempTree();
  appendTurn(conversationsFolderOf(tree.home), { id: "kept", cwd: tree.project, title: "hello" }, aTurn({ settings }));
  const { io, takeStderr } = recordIo({ env: tree.env, cwd: tree.project });
  return { ...tree, takeStderr, host: (flags: ConversationFlags, flagsFor: "all" | "new" = "all") => createConversationHost(flags, io, flagsFor) };
}

describe("a new conversation", () => {
  it("begins with what the command line says, else the configuration, else the defaults", async () => {
    const { host, project, write } = keep();
    expect((await host({}).create({ cwd: project })).settings()).toEqual({ backend: "copilot", model: null, access: null });
    write("home/.jlgcli.json", { backend: "codex", model: "gpt-5", access: "workspace-write" });
    expect((await host({}).create({ cwd: project })).settings()).toEqual({ backend: "codex", model: "gpt-5", access: "workspace-write" });
    expect((await host({ backend: "claude" }).create({ cwd: project })).settings()).toEqual({ backend: "claude", model: null, access: "workspace-write" });
    expect((await host({ model: "o4", access: "read-only" }).create({ cwd: project, settings: { access: "full" } })).settings()).toEqual({ backend: "codex", model: "o4", access: "full" });
  });

  it.each([
    { title: "a backend that is not known", flags: { backend: "codexx" }, error: "no backend has the id 'codexx'" },
    { title: "several backends", flags: { backend: "codex,claude" }, error: "a conversation has one backend at a time" },
    { title: "a level that the backend cannot enforce", flags: { backend: "qwen", access: "workspace-write" as const }, error: "cannot be enforced" },
  ])("is refused with $title", async ({ flags, error }) => {
    const { host, project } = keep();
    await expect(host(flags).create({ cwd: project })).rejects.toThrow(error);
  });

  it("has no backend where none is installed", async () => {
    const { host, project } = keep();
    await expect(host({ backend: "auto" }).create({ cwd: project })).rejects.toMatchObject({ exitCode: 2, message: "no backend is installed" });
  });

  it("keeps nothing of what the caller's MCP servers are told in secret", async () => {
    const { host, project, home } = keep();
    const mcpServers: McpServerConfig[] = [
      { type: "stdio", name: "a", command: "a", args: [], env: { A_TOKEN: "plum-4711-pear" } },
      { type: "stdio", name: "b", command: "b", args: [], env: { A_TOKEN: "fig-0815-lime" } },
      { type: "http", name: "c", url: "https://example.com/", headers: { Authorization: "Bearer kiwi-1234-date", "X-Api-Key": "nut-9876-leek", Accept: "application/json" } },
    ];
    const conversation = await host({}).create({ cwd: project, mcpServers });
    await conversation.send({ text: "go\nplum-4711-pear fig-0815-lime kiwi-1234-date nut-9876-leek application/json" });
    expect(loadConversation(conversationsFolderOf(home), conversation.id).turns[0]?.prompt).toMatch(/^go\n(?:\[redacted:\w+\] ){4}application\/json$/);
  });

  it("is not kept before its first turn", async () => {
    const { host, project } = keep();
    await host({}).create({ cwd: project });
    expect(host({}).list()).toHaveLength(1);
  });
});

describe("a kept conversation", () => {
  it("goes on with what its last turn asked for", async () => {
    const { host, project } = keep();
    const conversation = await host({}).load("kept");
    expect([conversation.settings(), conversation.cwd, conversation.title(), conversation.turns().length]).toEqual([{ backend: "claude", model: "opus", access: "workspace-write" }, project, "hello", 1]);
  });

  it("goes on with what the command line says, where it speaks of this conversation", async () => {
    const { host } = keep();
    expect((await host({ access: "read-only" }).load("kept")).settings()).toEqual({ backend: "claude", model: "opus", access: "read-only" });
    expect((await host({ backend: "codex" }).load("kept")).settings()).toEqual({ backend: "codex", model: null, access: null });
  });

  it("goes on as it was where the command line speaks of new ones", async () => {
    const { host } = keep();
    expect((await host({ backend: "codex", access: "full" }, "new").load("kept")).settings()).toEqual({ backend: "claude", model: "opus", access: "workspace-write" });
  });

  it("never goes on with more access than the command line grants", async () => {
    const { host } = keep();
    for (const flagsFor of ["all", "new"] as const) expect((await host({ access: "read-only" }, flagsFor).load("kept")).settings()).toEqual({ backend: "claude", model: "opus", access: "read-only" });
  });

  it("goes on with the default where its backend is gone, and says so", async () => {
    const { host, takeStderr } = keep({ backend: "gone", model: "x", access: "workspace-write" });
    expect((await host({}).load("kept")).settings()).toMatchObject({ backend: "copilot" });
    expect(takeStderr()).toContain("the conversation goes on with copilot: no backend has the id 'gone'");
  });

  it("is listed by its directory, and forgotten", () => {
    const { host, project, home } = keep();
    expect(host({}).list(project)).toMatchObject([{ id: "kept", title: "hello" }]);
    expect(host({}).list(home)).toEqual([]);
    expect(host({}).forget("kept")).toBe(true);
    expect(host({}).list()).toEqual([]);
  });
});

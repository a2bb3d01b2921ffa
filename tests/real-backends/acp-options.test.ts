import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { methods, type ContentBlock } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { startClient, textOf, type AcpClient } from "../e2e/support/acp-client.js";
import { type BackendStage, onStage, type StageOptions } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";

// claude refuses full access to root without it.
const SANDBOXED = { env: { IS_SANDBOX: "1" } };

/** A red picture of 16 × 16 pixels. */
const RED = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";
const PICTURE: ContentBlock = { type: "image", mimeType: "image/png", data: RED };

describe.concurrent.each(BACKEND_IDS)("the client of the protocol's own library, with jlgcli acp on %s", (backend) => {
  it("chooses the access level as an option: refused before, allowed after", () =>
    withClient(backend, SANDBOXED, async ({ agent, newSession, prompt }, { place }) => {
      const sessionId = await newSession(place.cwd);
      const file = join(place.cwd, "made.txt");
      const ask = `[[write:${file}|hello]] write it`;
      await prompt(sessionId, ask);
      expect(existsSync(file)).toBe(false);
      const { configOptions } = await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "access", value: "full" });
      expect(configOptions.find(({ id }) => id === "access")).toMatchObject({ currentValue: "full" });
      expect(await prompt(sessionId, `${ask} now`)).toMatchObject({ stopReason: "end_turn" });
      expect(existsSync(file)).toBe(true);
    }));
});

describe.concurrent.each(["codex", "copilot"] as const)("an image of the client's, on %s", (backend) => {
  it("reaches the model, and no file of it is left", () =>
    withClient(backend, {}, async ({ newSession, prompt, updatesOf }, { place, server }) => {
      const sessionId = await newSession(place.cwd);
      expect(await prompt(sessionId, "what is red?", PICTURE)).toMatchObject({ stopReason: "end_turn" });
      expect(textOf(updatesOf(sessionId))).toContain("The model heard");
      expect(JSON.stringify(server.calls[0]?.body)).toContain(`data:image/png;base64,${RED}`);
      expect(readdirSync(place.env["TMPDIR"] ?? "").filter((name) => name.startsWith("jlgcli-"))).toEqual([]);
    }));
});

describe("an image of the client's, on claude", () => {
  it("is refused with what to do, and the session goes on", () =>
    withClient("claude", {}, async ({ newSession, prompt }, { place, server }) => {
      const sessionId = await newSession(place.cwd);
      await expect(prompt(sessionId, "what is red?", PICTURE)).rejects.toMatchObject({ code: -32602 });
      expect(server.calls).toHaveLength(0);
      expect(await prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    }));
});

/** Plays with a client, which leaves at the end: the agent ends with it. */
function withClient(backend: BackendId, options: StageOptions, play: (client: AcpClient, stage: BackendStage) => Promise<void>): Promise<void> {
  return onStage(backend, options, async (stage) => {
    const client = await startClient(stage.place, ["--backend", backend]);
    await play(client, stage).finally(async () => expect(await client.leave()).toMatchObject({ exitCode: 0 }));
  });
}

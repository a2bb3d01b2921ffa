import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findNewestSession, forgetSession, listSessions, MAX_SESSIONS, noteSession, sessionFolderOf } from "../../../src/sinks/session-store.js";
import { makeTempTree } from "../config/temp-tree.js";

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("the sessions that are kept", () => {
  it("keep their title when they are used again, in a file for the user alone", async () => {
    const { home, project } = makeTempTree();
    const folder = sessionFolderOf(home);
    noteSession(folder, { backend: "codex", sessionId: "a", cwd: project, title: "the first" });
    const [first] = listSessions(folder);
    expect(first).toMatchObject({ backend: "codex", sessionId: "a", cwd: project, title: "the first" });
    await tick();
    noteSession(folder, { backend: "codex", sessionId: "a", cwd: project, title: "something else" });
    const [second] = listSessions(folder);
    expect(second).toMatchObject({ title: first?.title, startedAt: first?.startedAt });
    expect(second?.usedAt).not.toBe(first?.usedAt);
    const [file = ""] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("are found by backend and by the real directory, the one that was used last first", async () => {
    const { home, project, root, folder: makeFolder } = makeTempTree();
    const folder = sessionFolderOf(home);
    const other = makeFolder("other");
    symlinkSync(project, join(root, "link"));
    for (const [backend, sessionId, cwd] of [["codex", "one", project], ["codex", "two", join(root, "link")], ["claude", "three", project], ["codex", "four", other]] as const) {
      noteSession(folder, { backend, sessionId, cwd, title: "hi" });
      await tick();
    }
    expect(findNewestSession(folder, "codex", project)?.sessionId).toBe("two");
    expect(findNewestSession(folder, "codex", join(root, "link"))?.sessionId).toBe("two");
    expect(findNewestSession(folder, "claude", project)?.sessionId).toBe("three");
    expect(findNewestSession(folder, "copilot", project)).toBeNull();
    expect(forgetSession(folder, { backend: "codex", sessionId: "two" })).toBe(true);
    expect(forgetSession(folder, { backend: "codex", sessionId: "two" })).toBe(false);
    expect(findNewestSession(folder, "codex", project)?.sessionId).toBe("one");
  });

  it("pass over what is no session", () => {
    const { home, project } = makeTempTree();
    const folder = sessionFolderOf(home);
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of [["a.json", "{"], ["b.json", "null"], ["c.json", '{"backend":3}'], ["d.txt", "{}"]] as const) writeFileSync(join(folder, name), content);
    mkdirSync(join(folder, "e.json"));
    expect(listSessions(folder)).toEqual([]);
    noteSession(folder, { backend: "../x", sessionId: "../../y", cwd: project, title: "" });
    expect(listSessions(folder)).toMatchObject([{ backend: "../x", sessionId: "../../y", title: "" }]);
  });

  it("do not grow without end", () => {
    const { home, project } = makeTempTree();
    const folder = sessionFolderOf(home);
    mkdirSync(folder, { recursive: true });
    for (let count = 0; count < MAX_SESSIONS; count += 1) {
      const session = { backend: "codex", sessionId: `s${count}`, cwd: project, title: "t", startedAt: "2026-01-01T00:00:00.000Z", usedAt: "2026-01-01T00:00:00.000Z" };
      writeFileSync(join(folder, `${count}.json`), JSON.stringify(session));
    }
    noteSession(folder, { backend: "codex", sessionId: "new", cwd: project, title: "hi" });
    expect(listSessions(folder).length).toBeLessThanOrEqual(MAX_SESSIONS);
    expect(listSessions(folder)[0]?.sessionId).toBe("new");
  });
});

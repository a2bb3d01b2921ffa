import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { createOutputFile } from "../../../src/process/output-file.js";
import { BIN, HAS_PROC, startRun, timed } from "./run-child.js";

const spawner = createProcessSpawner();
const ENV = { PATH: process.env["PATH"] ?? "", JLGCLI_RUN_ID: "output-file-test" };

describe("a child that writes its stdout to a file", () => {
  it("loses nothing of 50 MiB, in order", async () => {
    let bytes = 0;
    let lastNumber = -1;
    let rest = "";
    let inOrder = true;
    const child = spawner.spawn(`${BIN}flood.mjs`, ["50"], {
      cwd: tmpdir(),
      env: ENV,
      stdout: "file",
      onStdout(chunk) {
        bytes += chunk.length;
        const lines = (rest + Buffer.from(chunk).toString("latin1")).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) inOrder &&= Number.parseInt(line, 10) === ++lastNumber && line.length === 64 * 1024 - 1;
      },
    });
    child.endStdin();
    expect(await child.done).toEqual({ exitCode: 0, signal: null, stderr: "" });
    expect({ bytes, lastNumber, rest, inOrder }).toEqual({ bytes: 50 * 1024 * 1024, lastNumber: 799, rest: "", inOrder: true });
  });

  it("keeps what a child printed that exits at once, to the last byte", async () => {
    const child = spawner.spawn("sh", ["-c", "printf 'no newline'; exit 3"], { cwd: tmpdir(), env: ENV, stdout: "file" });
    child.endStdin();
    expect(await child.done).toEqual({ exitCode: 3, signal: null, stdout: "no newline", stderr: "" });
  });

  it("is not held back by a slow receiver, which still gets everything in order", async () => {
    let text = "";
    const child = spawner.spawn("sh", ["-c", "for n in 1 2 3 4 5; do echo $n; sleep 0.05; done"], {
      cwd: tmpdir(),
      env: ENV,
      stdout: "file",
      async onStdout(chunk) {
        await sleep(500);
        text += Buffer.from(chunk).toString();
      },
    });
    child.endStdin();
    await child.done;
    expect(text).toBe("1\n2\n3\n4\n5\n");
  });

  it("is followed while it runs, not only at its end", async () => {
    const run = startRun("print-and-hang.sh", [], { stdout: "file" });
    const { elapsedMs } = await timed(run.saw(/done/));
    expect(elapsedMs).toBeLessThan(5000);
    expect(run.child.settled).toBe(false);
    expect(await run.child.endTree?.()).toBe(0);
    expect((await run.child.done).signal).toBe("SIGTERM");
  });

  it("is over at its exit, whoever still has the file open", async () => {
    const run = startRun("hold-stdout.sh", [], { stdout: "file" });
    const { value, elapsedMs } = await timed(run.child.done);
    expect(value.exitCode).toBe(0);
    expect(run.text()).toBe("answer\n");
    expect(elapsedMs).toBeLessThan(3000);
    expect(await run.child.endTree?.()).toBe(0);
  });

  it.skipIf(!HAS_PROC)("has a plain file that no longer has a name (needs /proc)", async () => {
    const child = spawner.spawn("sh", ["-c", "readlink /proc/$$/fd/1; stat -L -c '%F %a' /proc/$$/fd/1"], { cwd: tmpdir(), env: ENV, stdout: "file" });
    child.endStdin();
    expect((await child.done).stdout).toMatch(/^\/.*\/jlgcli-\w+\/stdout \(deleted\)\nregular (empty )?file 600\n$/);
  });

  it.skipIf(!HAS_PROC)("leaves no descriptor open here and no file behind (needs /proc)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leftovers-"));
    const countOpen = (): number => readdirSync("/proc/self/fd").length;
    const runOnce = async (command: string): Promise<void> => {
      const child = spawner.spawn(command, [], { cwd: "/", env: ENV, stdout: "file" });
      child.endStdin();
      await child.done;
    };
    await withTmpdir(folder, async () => {
      await runOnce("true");
      await sleep(100);
      const openBefore = countOpen();
      for (const command of ["true", "false", "nonesuch", `${BIN}no-interpreter`, "true"]) await runOnce(command);
      await sleep(100);
      expect(countOpen()).toBe(openBefore);
      expect(readdirSync(folder)).toEqual([]);
    });
    rmSync(folder, { recursive: true });
  });

  it("cannot hide that the disk was full", async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "full-disk-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    } catch {
      rmSync(folder, { recursive: true });
      return context.skip("a file system of 1 MiB cannot be mounted here (not root)");
    }
    try {
      await withTmpdir(folder, async () => {
        let bytes = 0;
        const child = spawner.spawn("sh", ["-c", "head -c 3000000 /dev/zero; exit 0"], {
          cwd: "/",
          env: ENV,
          stdout: "file",
          onStdout: (chunk) => {
            bytes += chunk.length;
          },
        });
        child.endStdin();
        const outcome = await child.done;
        expect(bytes).toBe(1024 * 1024);
        expect(outcome.streamErrorMessage).toBe(`the disk with the child's output is full (${folder})`);
      });
    } finally {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true });
    }
  });
});

async function withTmpdir(folder: string, work: () => Promise<void>): Promise<void> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

describe("the private file", () => {
  it("can be opened by its owner only, in a folder of its own", () => {
    const file = createOutputFile();
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file.path)).mode & 0o777).toBe(0o700);
    file.close();
    expect(existsSync(dirname(file.path))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("loses its name and goes on taking output (POSIX)", () => {
    const file = createOutputFile();
    file.unlink();
    expect(existsSync(dirname(file.path))).toBe(false);
    expect(writeSync(file.writerFd, "text")).toBe(4);
    file.close();
  });

  it("goes to the next folder when one takes none, and tells the first reason when none does", () => {
    const file = createOutputFile(["/nonexistent/a", tmpdir()]);
    expect(file.folder).toBe(tmpdir());
    file.close();
    expect(() => createOutputFile(["/nonexistent/a", "/nonexistent/b"])).toThrow(/private file for the child's output: ENOENT.*\/nonexistent\/a\//);
  });
});

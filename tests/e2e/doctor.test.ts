import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPlace, parseObject, runCli, type Place } from "./support/cli.js";

let place: Place;

beforeEach(() => {
  place = createPlace();
  // Nothing but what a test installs: this machine may have a real backend in /usr/bin.
  place.env["PATH"] = place.bin;
});

afterEach(() => place.cleanUp());

function installCodex(): void {
  place.install("codex", '#!/bin/sh\ncase "$*" in "login status") exit 0;; --version) echo codex-cli 0.171.0;; esac\n');
}

/** The line of a check, as the text output has it. */
function findLine(stdout: string, name: string): string {
  return stdout.split("\n").find((line) => line.slice(9).startsWith(`${name} `)) ?? `no line for ${name}`;
}

describe("jlgcli doctor", () => {
  it("is 0 on a machine with a backend and tells what it found", async () => {
    installCodex();
    const { exitCode, stdout, stderr } = await runCli(place, ["doctor"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(findLine(stdout, "node")).toContain(process.version);
    expect(findLine(stdout, "platform")).toContain(process.platform);
    expect(findLine(stdout, "config")).toMatch(/^ok .*nothing set: the defaults hold$/);
    expect(findLine(stdout, "backend codex")).toMatch(/^ok +backend codex +available, 0\.171\.0, /);
    expect(findLine(stdout, "temp")).toMatch(/^ok .*can be written$/);
    expect(findLine(stdout, "terminal")).toContain("stdout is no terminal");
  });

  it("is 2 on a machine without any", async () => {
    const { exitCode, stdout } = await runCli(place, ["doctor"]);
    expect(exitCode).toBe(2);
    expect(findLine(stdout, "backends")).toMatch(/^problem /);
  });

  it("is 78 with a broken file, and still tells the rest", async () => {
    installCodex();
    writeFileSync(join(place.home, ".jlgcli.json"), '{\n  "backend": \n}');
    const { exitCode, stdout } = await runCli(place, ["doctor"]);
    expect(exitCode).toBe(78);
    expect(stdout).toMatch(/^problem {2}config .*is not valid JSON/m);
    expect(findLine(stdout, "backend codex")).toMatch(/^ok /);
  });

  it("warns where TMPDIR cannot be written", async () => {
    place.env["TMPDIR"] = join(place.home, "nowhere");
    expect(findLine((await runCli(place, ["doctor"])).stdout, "temp")).toMatch(/^warning .*nowhere cannot be written; .* is used in its place$/);
  });

  it("prints JSON with the exit code in it", async () => {
    const { exitCode, stdout } = await runCli(place, ["doctor", "--json"]);
    const report = parseObject(stdout);
    expect(report["exitCode"]).toBe(exitCode);
    expect(report["backends"]).toContainEqual(expect.objectContaining({ id: "codex", status: "missing" }));
    expect(report["checks"]).toContainEqual({ name: "agent", level: "ok", message: "not started by another agent", nextStep: null, status: null });
  });

  it("prints a report without values of the environment, credentials and the home folder", async () => {
    installCodex();
    Object.assign(place.env, { HTTPS_PROXY: "http://me:pass-word@proxy.example", OPENAI_API_KEY: "sk-nobody-0123456789abcdef", CLAUDECODE: "1" });
    writeFileSync(join(place.cwd, ".jlgcli.json"), JSON.stringify({ model: "m", env: { PRIVATE_TOKEN: "hidden-value-1" } }));
    mkdirSync(join(place.home, ".jlgcli/backends"), { recursive: true });
    writeFileSync(join(place.home, ".jlgcli/backends/mine.json"), "{}");
    const { exitCode, stdout } = await runCli(place, ["doctor", "--report"]);
    expect(exitCode).toBe(78);
    for (const hidden of [place.home, "pass-word", "proxy.example", "sk-nobody", "hidden-value"]) expect(stdout).not.toContain(hidden);
    expect(stdout).toMatch(/^### jlgcli doctor$/m);
    expect(stdout).toContain("~/.jlgcli/backends/mine.json");
    expect(stdout).toContain("`CLAUDECODE`, `HTTPS_PROXY`, `NODE_DISABLE_COMPILE_CACHE`, `OPENAI_API_KEY`");
  });
});

import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const onWindows = process.platform === "win32";

/** All that may be in the package. Nothing of it is a test, a source or a map. */
const SHIPPED = [
  /^package\.json$/,
  /^(README|CHANGELOG|THIRD_PARTY_NOTICES)\.md$/,
  /^LICENSE$/,
  /^dist\/(cli|replay-player)\.cjs$/,
  /^dist\/chat-ui\.mjs$/,
  /^dist\/schemas\/(events|result|config|backend)\.schema\.json$/,
  /^dist\/chunks\/[\w.-]+\.cjs$/,
  /^skills\/[\w-]+\/SKILL\.md$/,
  /^assets\/sample\.cassette\.ndjson$/,
  /^dist\/lib\/(?!.*test)[\w./-]+\.(js|d\.ts)$/,
];

let folder: string;
let tarball: string;
let packedFiles: readonly string[];

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "jlgcli-package-"));
  // Without scripts: `prepare` would build again under the feet of the other tests.
  const packed = runNpm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder], root);
  const [first] = parsePackReport(packed.stdout);
  if (first === undefined) throw new Error(`npm pack told nothing: ${packed.stderr}`);
  tarball = path.join(folder, first.filename);
  packedFiles = first.files;
}, 120_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the package", () => {
  it("holds only what runs", () => {
    expect(packedFiles.filter((file) => !SHIPPED.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(packedFiles).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "THIRD_PARTY_NOTICES.md", "dist/cli.cjs", "dist/chat-ui.mjs", "dist/lib/index.js", "dist/lib/index.d.ts", "dist/replay-player.cjs"]),
    );
  });

  it("is sound for publint", () => {
    const check = runBin("publint", "src/cli.js", ["run", "--strict", tarball]);
    expect(check.stdout + check.stderr).toContain("All good");
    expect(check.status).toBe(0);
  });

  it("has types that resolve as its code does", () => {
    const check = runBin("@arethetypeswrong/cli", "dist/index.js", [tarball, "--profile", "esm-only", "--no-color", "--no-emoji"]);
    expect(check.stdout + check.stderr).toContain("jlgcli v");
    expect(check.status).toBe(0);
  });

  it("names every bundled library in its notices", () => {
    const notices = readFileSync(path.join(root, "THIRD_PARTY_NOTICES.md"), "utf8");
    for (const name of ["commander", "cosmiconfig", "execa", "zod"]) expect(notices).toContain(`\n## ${name}\n`);
  });
});

describe("the installed package", () => {
  let prefix: string;

  beforeAll(() => {
    prefix = path.join(folder, "prefix");
    mkdirSync(prefix);
    runNpm(["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund", tarball], folder);
  }, 180_000);

  it("gives a jlgcli that tells its version", () => {
    const version = runInstalled(["--version"]);
    expect(version.stdout.trim()).toBe(packageVersion());
    expect(version.status).toBe(0);
  });

  it("runs a prompt on the simulated backend", () => {
    const run = runInstalled(["run", "--backend", "replay", "--json", "hello"]);
    expect(run.stderr).not.toContain("Error");
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "success", exitCode: 0, backend: "replay", simulated: true });
    expect(run.status).toBe(0);
  });

  it("is a library for ES modules and for CommonJS, with types for strict programs", () => {
    const consumer = path.join(folder, "consumer");
    mkdirSync(consumer);
    writeFileSync(path.join(consumer, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }');
    runNpm(["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], consumer);
    writeFileSync(path.join(consumer, "main.mts"), CONSUMER);
    writeFileSync(path.join(consumer, "tsconfig.json"), CONSUMER_TSCONFIG);
    const compiled = runBin("typescript", "bin/tsc", ["-p", consumer]);
    expect(compiled.stdout).toBe("");
    const run = runNode([path.join(consumer, "main.mjs")], consumer);
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("success 0 start result\n");
    expect(runNode(["-e", 'process.stdout.write(typeof require("jlgcli").runOnce)'], consumer).stdout).toBe("function");
  }, 180_000);

  function runInstalled(args: readonly string[]): SpawnSyncReturns<string> {
    const shim = onWindows ? path.join(prefix, "jlgcli.cmd") : path.join(prefix, "bin/jlgcli");
    expect(existsSync(shim)).toBe(true);
    return spawnSync(shim, args, { cwd: folder, env: cleanEnv(), stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", shell: onWindows });
  }
});

describe("the promises of the README", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const ci = readFileSync(path.join(root, ".ci/run"), "utf8");

  it("names the test command that CI runs", () => {
    expect(readme).toContain("\nnpm ci && npm run check\n");
    expect(ci).toContain("step npm ci");
    expect(ci).toContain("step npm run check");
  });

  it("names a first command that needs no account", () => {
    expect(readme).toMatch(/^npm ci && node dist\/cli\.cjs run --backend replay /m);
  });
});

/** Written as a user's program would be: strict, with the types of the package checked as well. */
const CONSUMER = `
import { runOnce, type RunEvent, type RunResult } from "jlgcli";
const types: RunEvent["type"][] = [];
const result: RunResult = await runOnce({ prompt: "hello", backend: "replay", onEvent: (event) => { types.push(event.type); } });
console.log(result.status, result.exitCode, types[0], types.at(-1));
`;

const CONSUMER_TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: "NodeNext",
    target: "ES2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [path.join(root, "node_modules/@types")],
  },
  files: ["main.mts"],
});

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) throw new TypeError("no version");
  return String(manifest.version);
}

interface PackReport {
  readonly filename: string;
  readonly files: readonly string[];
}

function parsePackReport(json: string): readonly PackReport[] {
  const reports: unknown = JSON.parse(json);
  if (!Array.isArray(reports)) throw new TypeError("npm pack printed no list");
  return reports.map(toPackReport);
}

function toPackReport(report: unknown): PackReport {
  if (typeof report !== "object" || report === null || !("filename" in report) || !("files" in report) || !Array.isArray(report.files)) {
    throw new TypeError("npm pack printed something new");
  }
  return {
    filename: String(report.filename),
    files: report.files.map((file: unknown) => (typeof file === "object" && file !== null && "path" in file ? String(file.path) : "")),
  };
}

function runNpm(args: readonly string[], cwd: string): SpawnSyncReturns<string> {
  // A shell, since npm is a .cmd file on Windows; no argument has a space there but paths, which are quoted.
  const run = onWindows
    ? spawnSync(["npm", ...args.map((arg) => JSON.stringify(arg))].join(" "), { cwd, encoding: "utf8", shell: true })
    : spawnSync("npm", args, { cwd, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${run.status}: ${run.stderr}`);
  return run;
}

/** Runs a program of an installed package by its file, which works alike on every system. */
function runBin(packageName: string, file: string, args: readonly string[]): SpawnSyncReturns<string> {
  const manifest = path.join(root, "node_modules", packageName, "package.json");
  return runNode([createRequire(manifest).resolve(`./${file}`), ...args], root);
}

function runNode(args: readonly string[], cwd: string): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd, env: cleanEnv(), stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

/** Made from nothing but what a program needs to start. */
function cleanEnv(): Record<string, string> {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  const kept = ["PATH", "Path", "SystemRoot", "TEMP", "TMP", "PATHEXT", "ComSpec"];
  const env: Record<string, string> = { HOME: home, USERPROFILE: home };
  for (const name of kept) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

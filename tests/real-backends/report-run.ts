import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { BACKEND_IDS, type BackendId, isExpected } from "./backends.js";
import { createIsolatedEnv } from "./isolated-env.js";
import { describeTally } from "./request-tally.js";
import { runProgram } from "./run-program.js";

/** Prints, after all tests, the version that each backend reports and how many requests reached the model servers. */
export default async function reportRun(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-tally-"));
  const tallyFile = join(folder, "requests");
  writeFileSync(tallyFile, "");
  project.provide("tallyFile", tallyFile);
  const versions: string[] = [];
  for (const backend of BACKEND_IDS.filter(isExpected)) versions.push(`${backend} --version: ${await askVersion(backend)}`);
  return () => {
    console.log(["", ...versions, ...describeTally(tallyFile, BACKEND_IDS)].join("\n"));
    rmSync(folder, { recursive: true });
  };
}

/** Throws where a backend is not installed or does not start: then no test means anything. */
async function askVersion(backend: BackendId): Promise<string> {
  const place = await createIsolatedEnv(backend, { serverUrl: "http://127.0.0.1:9" });
  try {
    const { exitCode, stdout, stderr } = await runProgram(backend, ["--version"], { cwd: place.cwd, env: place.env });
    if (exitCode !== 0) throw new Error(`${backend} --version ended with ${exitCode ?? "a signal"}: ${stderr}`);
    return stdout.trim().split("\n")[0] ?? "";
  } finally {
    await place.cleanUp();
  }
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { isExpected } from "../backends.js";
import { describeTally } from "../request-tally.js";
import { runProgram } from "../run-program.js";
import { MORE_BACKEND_IDS, type MoreBackendId } from "./backends.js";
import { createMoreEnv } from "./more-env.js";

/** Prints, after all tests, the version that each backend reports and how many requests reached the model servers. */
export default async function reportRun(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-tally-"));
  const tallyFile = join(folder, "requests");
  writeFileSync(tallyFile, "");
  project.provide("tallyFile", tallyFile);
  const versions = await Promise.all(MORE_BACKEND_IDS.filter(isExpected).map(async (backend) => `${backend} --version: ${await askVersion(backend)}`));
  return () => {
    console.log(["", ...versions, ...describeTally(tallyFile, MORE_BACKEND_IDS)].join("\n"));
    rmSync(folder, { recursive: true });
  };
}

/** Throws where a backend is not installed or does not start: then no test means anything. pi tells it on stderr. */
async function askVersion(backend: MoreBackendId): Promise<string> {
  const place = await createMoreEnv(backend, { serverUrl: "http://127.0.0.1:9" });
  try {
    const { exitCode, stdout, stderr } = await runProgram(backend, ["--version"], { cwd: place.cwd, env: place.env });
    if (exitCode !== 0) throw new Error(`${backend} --version ended with ${exitCode ?? "a signal"}: ${stderr}`);
    return `${stdout}${stderr}`.trim().split("\n").at(-1) ?? "";
  } finally {
    await place.cleanUp();
  }
}

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BackendId } from "./backends.js";
import { type FixtureCase, fixtureCases } from "./fixture-cases.js";
import { type IsolatedEnv, createIsolatedEnv } from "./isolated-env.js";
import { findLeftOverProcesses } from "./left-over-processes.js";
import type { ModelAnswer } from "./model-answer.js";
import { type ModelServer, startModelServer } from "./model-server.js";
import { type ProgramRun, runProgram } from "./run-program.js";

/** Records the real output of a backend, each case into `TARGET/CASE/`; `isWanted` picks cases by name. */
export async function recordFixtures(backend: BackendId, target: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const server = await startModelServer();
  const version = await readVersion(backend, server.url);
  const recorded: string[] = [];
  for (const fixture of fixtureCases(backend).filter(({ name }) => isWanted(name))) {
    const line = await recordCase(backend, fixture, server, version, join(target, backend, fixture.name));
    console.log(line);
    recorded.push(line);
  }
  await server.close();
  return recorded;
}

async function readVersion(backend: BackendId, serverUrl: string): Promise<string> {
  const place = await createIsolatedEnv(backend, { serverUrl });
  const text = execFileSync(join(place.env.PATH?.split(":")[0] ?? "", backend), ["--version"], { env: place.env, cwd: place.cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  await place.cleanUp();
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? text.trim();
}

async function recordCase(backend: BackendId, fixture: FixtureCase, server: ModelServer, version: string, folder: string): Promise<string> {
  server.reset();
  const place = await createIsolatedEnv(backend, { serverUrl: server.url, ...fixture.env });
  server.respondWith(inOrder(fixture.answers(place)));
  const run = await runProgram(backend, fixture.args, {
    cwd: place.cwd,
    env: place.env,
    input: fixture.input,
    timeoutMs: fixture.timeoutMs,
    onStdout: interrupter(backend, fixture, place),
  });
  writeFixture(folder, fixture, run, server, version, scrubber(place, server.url));
  await place.cleanUp();
  return `${backend}/${fixture.name}: exit ${run.exitCode ?? run.signal ?? "?"}, ${run.durationMs} ms, ${server.describeRequests()}${run.timedOut ? ", TIMED OUT" : ""}`;
}

function inOrder(answers: readonly ModelAnswer[]): () => ModelAnswer {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    if (answer === undefined) throw new Error("a fixture case needs at least one answer");
    return answer;
  };
}

/** The signal goes to the program itself, past a launcher that does not pass it on. */
function interrupter(backend: BackendId, fixture: FixtureCase, place: IsolatedEnv): (soFar: string) => void {
  let isDone = false;
  return (soFar) => {
    if (isDone || fixture.interrupt === undefined || !soFar.includes(fixture.interrupt.whenSeen)) return;
    isDone = true;
    const found = findLeftOverProcesses({ runId: place.runId }).filter(({ command }) => command.includes(backend));
    const innermost = found.at(-1);
    if (innermost !== undefined) process.kill(innermost.pid, fixture.interrupt.signal);
  };
}

function writeFixture(folder: string, fixture: FixtureCase, run: ProgramRun, server: ModelServer, version: string, scrub: (text: string) => string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const meta = {
    about: fixture.about,
    argv: fixture.args,
    stdin: fixture.input,
    exitCode: run.exitCode,
    signal: run.signal,
    stderr: scrub(run.stderr),
    backendVersion: version,
    modelCalls: server.calls.length,
    recordedBy: "tests/real-backends/record-fixtures.mjs: the real program against a model server on the loopback interface; paths, ids and the port are replaced",
  };
  writeFileSync(join(folder, "stdout.jsonl"), scrub(run.stdout));
  writeFileSync(join(folder, "meta.json"), `${JSON.stringify(meta, null, 2)}\n`);
}

/** Replaces what differs from run to run or tells about the machine. The same thing gets the same name everywhere in a recording. */
function scrubber(place: IsolatedEnv, serverUrl: string): (text: string) => string {
  const names = new Map<string, string>();
  const numbered = (make: (count: number) => string) => (found: string) => {
    const name = names.get(found) ?? make(names.size + 1);
    names.set(found, name);
    return name;
  };
  const root = place.home.replace(/\/home$/, "");
  return (text) =>
    text
      .replaceAll(place.home, "/HOME")
      .replaceAll(place.cwd, "/CWD")
      .replaceAll(place.outside, "/OUTSIDE")
      .replaceAll(root, "/ROOT")
      .replaceAll(root.replaceAll("/", "-"), "-ROOT")
      .replace(/\/[^\s"']*\/node_modules\//g, "/NODE_MODULES/")
      .replaceAll(serverUrl.replace("http://", ""), "127.0.0.1:8089")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered((count) => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`))
      .replace(/(?<=(?:msg|toolu|call|fc|req|resp|chatcmpl)[_-])[0-9a-f]{16}/g, numbered((count) => String(count).padStart(16, "0")));
}

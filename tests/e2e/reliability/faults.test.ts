import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { findLeftOvers, parseObject, runCli, type Place } from "../support/cli.js";
import { createAgentPlace, findLeftFiles, setSteps, waitForFile } from "./agent-place.js";
import { FAULTS, type Fault, type Step } from "./faults.js";

let place: Place | undefined;

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const scripted = FAULTS.filter(({ steps }) => steps !== undefined);
const groups = [...new Set(scripted.map(({ group }) => group))];
const DEFAULT_LIMIT_MS = 20_000;

describe.each(groups)("%s: a backend that", (group) => {
  it.each(scripted.filter((fault) => fault.group === group))("$id: $what", check);
});

it("every other fault of the list is named by a test of its own", () => {
  const folders = [new URL(".", import.meta.url), new URL("../../integration/process/", import.meta.url)];
  const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".test.ts")).map((name) => new URL(name, folder)));
  const tests = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const others = FAULTS.filter(({ steps }) => steps === undefined).map(({ id }) => id);
  expect(others.filter((id) => !tests.includes(`"${id}"`))).toEqual([]);
});

async function check(fault: Fault): Promise<void> {
  const here = (place = createAgentPlace([]));
  const ready = join(here.home, "ready");
  setSteps(here, toSteps(fault, ready));
  let signalledAt = 0;
  const ended = await runCli(here, ["run", "--json", "--backend", fault.backend ?? "codex", ...(fault.args ?? []), ...(fault.stdin === undefined ? ["hello"] : [])], {
    ...(fault.stdin === undefined ? {} : { stdin: fault.stdin }),
    onStart: (child) => {
      if (fault.signal === undefined) return;
      const { signal } = fault;
      void waitForFile(ready).then(async () => {
        await sleep(100);
        signalledAt = Date.now();
        child.kill(signal);
      });
    },
  });
  const result = parseObject(ended.stdout);
  expect(typeof fault.ends === "number" ? ended.exitCode : ended.signal, ended.stdout + ended.stderr).toBe(fault.ends);
  expect(result).toMatchObject(fault.result ?? {});
  if (fault.says !== undefined) expect(result["text"]).toContain(fault.says);
  // A failure is never printed as an answer.
  if (result["status"] !== "success") expect(result["exitCode"]).not.toBe(0);
  expect(signalledAt === 0 ? ended.durationMs : Date.now() - signalledAt).toBeLessThan(fault.withinMs ?? DEFAULT_LIMIT_MS);
  expect(findLeftOvers(here)).toEqual([]);
  expect(findLeftFiles(here)).toEqual([]);
}

/** With a mark before the last step, where a signal is to come. */
function toSteps({ steps = [], signal }: Fault, ready: string): readonly Step[] {
  return signal === undefined ? steps : [...steps.slice(0, -1), { log: ready }, ...steps.slice(-1)];
}

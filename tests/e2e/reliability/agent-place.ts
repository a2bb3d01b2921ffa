import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlace, FIXTURES, type Place } from "../support/cli.js";
import { FAULTS, type Fault, type Step } from "./faults.js";

/** Credentials that count, so that each backend is taken for signed in. */
const SIGNED_IN = { CODEX_API_KEY: "test-key", ANTHROPIC_API_KEY: "test-key" };

/** A place where the tiny agent of the fixtures is installed as every backend, and does what the steps say. */
export function createAgentPlace(steps: readonly Step[], env: Record<string, string> = {}): Place {
  const place = createPlace({ ...SIGNED_IN, ...env });
  for (const backend of ["codex", "claude", "copilot"]) symlinkSync(join(FIXTURES, "bin/agent.mjs"), join(place.bin, backend));
  place.env["AGENT_SCRIPT"] = join(place.home, "script.json");
  setSteps(place, steps);
  return place;
}

export function setSteps(place: Place, steps: readonly Step[]): void {
  writeFileSync(join(place.home, "script.json"), JSON.stringify(steps));
}

export async function waitForFile(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(20);
}

/** Temporary files and records of running children that a run has left. */
export function findLeftFiles(place: Place): readonly string[] {
  const running = join(place.home, ".jlgcli/running");
  return [...readdirSync(place.env["TMPDIR"] ?? ""), ...(existsSync(running) ? readdirSync(running) : [])];
}

/** How the list of faults says that a run with this one ends. */
export function endsOf(id: string): Fault["ends"] {
  const fault = FAULTS.find((each) => each.id === id);
  if (fault === undefined) throw new Error(`no fault has the id ${id}`);
  return fault.ends;
}

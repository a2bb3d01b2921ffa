import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createPlace, FIXTURES, parseObject, type Place } from "./cli.js";

/** What one run does: an answer, or see `counting-codex.mjs`. */
export type Step = string | Readonly<Record<string, unknown>>;

export interface CountedRun {
  readonly argv: readonly string[];
  readonly prompt: string;
}

export interface CountingPlace extends Place {
  /** The runs so far, of this and earlier command lines. */
  runs(): readonly CountedRun[];
  setScript(steps: readonly Step[]): void;
  /** The kept states of loops. */
  states(): readonly Record<string, unknown>[];
}

/** A place with the codex that counts its runs. */
export function createCountingPlace(steps: readonly Step[], env: Record<string, string> = {}): CountingPlace {
  const place = createPlace({ CODEX_API_KEY: "test-key", FAKE_SCRIPT: JSON.stringify(steps), ...env });
  const file = join(place.home, "runs.ndjson");
  place.env["FAKE_RUNS"] = file;
  symlinkSync(join(FIXTURES, "agents/counting-codex.mjs"), join(place.bin, "codex"));
  return {
    ...place,
    runs: () => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").map(toRun) : []),
    setScript: (next) => void (place.env["FAKE_SCRIPT"] = JSON.stringify(next)),
    states: () => {
      const folder = join(place.home, ".jlgcli/loops");
      if (!existsSync(folder)) return [];
      return readdirSync(folder).map((name) => parseObject(readFileSync(join(folder, name), "utf8")));
    },
  };
}

function toRun(line: string): CountedRun {
  const { argv, prompt } = parseObject(line);
  if (!Array.isArray(argv) || typeof prompt !== "string") throw new TypeError(`no run: ${line}`);
  return { argv: argv.map(String), prompt };
}

/** Waits until something holds; fails after a generous while. */
export async function waitUntil(holds: () => boolean, timeoutMs = 20_000): Promise<void> {
  const endsAt = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > endsAt) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

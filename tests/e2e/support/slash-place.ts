import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPlace, FIXTURES, parseObject, type Place } from "./cli.js";

export const BACKENDS = ["claude", "codex", "copilot"] as const;

/** What a backend was started with. */
export interface BackendCall {
  readonly name: string;
  readonly argv: readonly string[];
  readonly prompt: string;
}

/** A repository, a home, and three tiny backends that note what they are told. */
export interface SlashPlace extends Place {
  /** Writes files below the working directory (`project/…`) and the home (`home/…`). */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** Every start of a backend so far. */
  calls(): readonly BackendCall[];
}

export function createSlashPlace(env: Record<string, string> = {}): SlashPlace {
  const place = createPlace({ ANTHROPIC_API_KEY: "test-key", CODEX_API_KEY: "test-key", COPILOT_GITHUB_TOKEN: "test-key", ...env });
  const log = join(dirname(place.home), "calls.ndjson");
  place.env["FAKE_LOG"] = log;
  for (const name of BACKENDS) symlinkSync(join(FIXTURES, "agents/listener.mjs"), join(place.bin, name));
  mkdirSync(join(place.cwd, ".git"));
  return {
    ...place,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        const file = toPath(place, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
    },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").map(toCall) : []),
  };
}

function toPath({ home, cwd }: Place, name: string): string {
  const [root = "", ...segments] = name.split("/");
  return join(root === "home" ? home : cwd, ...segments);
}

function toCall(line: string): BackendCall {
  const { name, argv, prompt } = parseObject(line);
  if (typeof name !== "string" || typeof prompt !== "string" || !Array.isArray(argv)) throw new TypeError(`no call: ${line}`);
  return { name, prompt, argv: argv.map(String) };
}

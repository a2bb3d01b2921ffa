import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { RunEvent, RunResult } from "../events/schema.js";
import { VERSION } from "../version.js";
import { createRecordRedactor } from "./redact-records.js";
import type { Redactor } from "./redact.js";
import { RUN_FILES, RUN_META_VERSION, type RunMeta } from "./run-folder.js";
import { writePrivateFile } from "./write-private-file.js";
import { makePrivateFolder } from "../make-folder.js";

/** What is known of a run before it begins. */
export type RunSeed = Pick<RunMeta, "runId" | "prompt" | "cwd" | "backend" | "model" | "access">;

export interface RunArtifacts {
  readonly folder: string;
  /** Where the run's recording belongs. */
  readonly cassette: string;
  /** Writes an event down as it happens. A failure is kept for `finish`: the run goes on. */
  note(event: RunEvent): void;
  /**
   * Writes the result down.
   * @param recording a recording that stands somewhere else, to be copied.
   * @returns what could not be written, the first thing that went wrong; null where all is there.
   */
  finish(result: RunResult, recording?: string): JlgcliError | null;
}

export interface ArtifactPlace {
  /** The folder of all runs. */
  readonly runsFolder: string;
  /** Keep the folder out of git: it lies in somebody's project. */
  readonly isInProject: boolean;
}

/**
 * Makes the folder of a run (0700, its files 0600). All that goes into it is redacted.
 * @throws JlgcliError `CANNOT_CREATE`: nobody pays for a run whose artifacts cannot be kept.
 */
export function createRunArtifacts(seed: RunSeed, place: ArtifactPlace, redactor: Redactor): RunArtifacts {
  const folder = join(place.runsFolder, seed.runId);
  const cassette = join(folder, RUN_FILES.cassette);
  const startedAt = new Date().toISOString();
  let failure: JlgcliError | null = null;
  let known = seed;

  const guard = (action: () => void): void => {
    if (failure !== null) return;
    try {
      action();
    } catch (error) {
      failure = toFailure(folder, error);
    }
  };
  const writeJson = (name: string, value: object): void => writePrivateFile(join(folder, name), `${redactor(JSON.stringify(value, null, 2))}\n`);
  const writeMeta = (end: Partial<RunMeta>): void => writeJson(RUN_FILES.meta, { ...toMeta(known, startedAt), ...end });

  const transcript = open(place, folder, () => writeMeta({}));
  const lines = createTranscript(redactor);
  const append = (text: string): void => {
    if (text !== "") writeSync(transcript, text);
  };
  return {
    folder,
    cassette,
    note(event) {
      if (event.type === "start") known = { ...seed, backend: event.backend, model: event.model, access: event.access };
      guard(() => append(lines.push(event)));
    },
    finish(result, recording) {
      guard(() => append(lines.flush()));
      closeSync(transcript);
      guard(() => {
        if (recording !== undefined && existsSync(recording)) copyFileSync(recording, cassette);
      });
      guard(() => writeJson(RUN_FILES.result, result));
      guard(() => writeMeta(toEndOfMeta(result)));
      return failure;
    },
  };
}

function toMeta(seed: RunSeed, startedAt: string): RunMeta {
  return {
    jlgcli: "run",
    version: RUN_META_VERSION,
    ...seed,
    jlgcliVersion: VERSION,
    nodeVersion: process.version,
    platform: process.platform,
    startedAt,
    endedAt: null,
    status: null,
    exitCode: null,
    durationMs: null,
  };
}

function toEndOfMeta({ backend, status, exitCode, durationMs }: RunResult): Partial<RunMeta> {
  return { endedAt: new Date().toISOString(), backend, status, exitCode, durationMs };
}

/** Gives the descriptor of the transcript. */
function open({ runsFolder, isInProject }: ArtifactPlace, folder: string, writeMeta: () => void): number {
  try {
    makePrivateFolder(runsFolder);
    if (isInProject) ignoreInGit(runsFolder);
    mkdirSync(folder, { mode: 0o700 });
    writeMeta();
    return openSync(join(folder, RUN_FILES.transcript), "ax", 0o600);
  } catch (error) {
    throw toFailure(folder, error);
  }
}

/** The runs alone: what else lies beside them may belong to the project. */
function ignoreInGit(runsFolder: string): void {
  const file = join(runsFolder, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n");
}

function toFailure(folder: string, error: unknown): JlgcliError {
  return new JlgcliError("CANNOT_CREATE", `the artifacts of the run cannot be written to ${folder}: ${describeError(error)}`, {
    hint: `name another folder: --artifacts=DIR (instead of ${dirname(folder)})`,
    cause: error,
  });
}

interface Transcript {
  push(event: RunEvent): string;
  flush(): string;
}

/**
 * One line for each event. A secret may be spread over the pieces of a streamed text, so that a piece is held back until
 * its line of text is whole; every other event is written at once.
 */
function createTranscript(redactor: Redactor): Transcript {
  const records = createRecordRedactor<null>(redactor);
  let heldText = "";
  const toText = (lines: readonly { readonly line: string }[]): string => lines.map(({ line }) => line).join("");
  const flush = (): string => {
    heldText = "";
    return toText(records.flush());
  };
  return {
    push(event) {
      const due = toText(records.push(`${redactor(JSON.stringify(event))}\n`, null));
      heldText += isChunk(event) ? event.content.text : "";
      return isChunk(event) && !isWhole(heldText) ? due : due + flush();
    },
    flush,
  };
}

function isChunk(event: RunEvent): event is Extract<RunEvent, { readonly type: "agent_message_chunk" | "agent_thought_chunk" }> {
  return event.type === "agent_message_chunk" || event.type === "agent_thought_chunk";
}

/** A private key is the one secret that has several lines. */
function isWhole(text: string): boolean {
  return text.endsWith("\n") && !/-----BEGIN(?![\s\S]*-----END)/.test(text);
}

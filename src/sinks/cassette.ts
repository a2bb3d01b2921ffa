import { createReadStream, statSync, type Stats } from "node:fs";
import { describeError, JlgcliError } from "../errors.js";

/**
 * A cassette is one recorded run as NDJSON: a header, then what the program wrote and when, then how it ended.
 *
 *     {"jlgcli":"cassette","version":1,"backend":"codex","backendVersion":"0.171.0","recordedAt":"…","argv":["codex",…],"label":"…"}
 *     {"t":812,"fd":1,"text":"{\"type\":\"thread.started\"}\n"}
 *     {"t":940,"fd":2,"base64":"//4="}
 *     {"t":1204,"exit":0,"signal":null}
 *
 * `t` is in milliseconds since the start. `base64` stands for bytes that are not UTF-8. Unknown members are ignored.
 */
export interface Cassette {
  readonly header: CassetteHeader;
  readonly output: readonly CassetteOutput[];
  readonly end: CassetteEnd;
}

export interface CassetteHeader {
  /** Id of the backend that was recorded: its record reads the output when the cassette is played. */
  readonly backend: string;
  readonly backendVersion: string | null;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The program and its arguments, redacted. A prompt that went by stdin is not among them. */
  readonly argv: readonly string[];
  /** Where the recording comes from, in words for people. */
  readonly label: string;
  /** True for the cassette that ships with jlgcli. */
  readonly sample: boolean;
}

export interface CassetteOutput {
  readonly atMs: number;
  readonly fd: 1 | 2;
  readonly bytes: Uint8Array;
}

/** Exactly one of `exit` and `signal` is not null. */
export interface CassetteEnd {
  readonly atMs: number;
  readonly exit: number | null;
  readonly signal: string | null;
}

export type CassetteLine =
  | { readonly type: "header"; readonly header: CassetteHeader }
  | { readonly type: "output"; readonly output: CassetteOutput }
  | { readonly type: "end"; readonly end: CassetteEnd };

export const CASSETTE_VERSION = 1;

/** In characters. A line that is longer is no recording of ours. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/**
 * Text to cassette.
 * @param source the name of the file, for messages. Throws CASSETTE_INVALID with file, line and what is wrong.
 */
export function parseCassette(text: string, source: string): Cassette {
  const parser = createParser(source);
  const lines = text.split("\n").flatMap((line) => parser.parse(line) ?? []);
  parser.finish();
  return toCassette(lines, source);
}

/** Reads a whole cassette. Throws INPUT_NOT_FOUND where there is no readable file, CASSETTE_INVALID as `parseCassette`. */
export async function loadCassette(path: string): Promise<Cassette> {
  const lines: CassetteLine[] = [];
  for await (const line of readCassette(path)) lines.push(line);
  return toCassette(lines, path);
}

/** The lines of a cassette one after another, so that a long one needs no memory. Throws as `loadCassette`. */
export async function* readCassette(path: string): AsyncGenerator<CassetteLine, void> {
  checkFile(path);
  const parser = createParser(path);
  for await (const text of readLines(path)) {
    const line = parser.parse(text);
    if (line !== null) yield line;
  }
  parser.finish();
}

function toCassette(lines: readonly CassetteLine[], source: string): Cassette {
  const header = lines.find((line) => line.type === "header");
  const end = lines.find((line) => line.type === "end");
  if (header === undefined || end === undefined) throw new JlgcliError("INTERNAL", `${source}: passed for a cassette and is none`);
  return { header: header.header, output: lines.flatMap((line) => (line.type === "output" ? line.output : [])), end: end.end };
}

function checkFile(path: string): void {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw notFound(path, error);
  }
  // A pipe could be read only once, and a player reads it again.
  if (!stats.isFile()) throw notFound(path, "it is not a regular file");
}

function notFound(path: string, cause: unknown): JlgcliError {
  const reason = typeof cause === "string" ? cause : describeError(cause).replace(/, [a-z]+ '.*$/s, "");
  return new JlgcliError("INPUT_NOT_FOUND", `${path}: the cassette cannot be read: ${reason}`, {
    hint: "Record one with `jlgcli run --record FILE`, or leave --cassette out to play the sample.",
    cause,
  });
}

/** Only `\n` ends a line: JSON strings hold every other line separator as it is. */
async function* readLines(path: string): AsyncGenerator<string, void> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > MAX_LINE_CHARS) throw new JlgcliError("CASSETTE_INVALID", `${path}: a line is longer than ${MAX_LINE_CHARS} characters`);
    }
  } catch (error) {
    throw error instanceof JlgcliError ? error : notFound(path, error);
  }
  yield rest;
}

interface Parser {
  /** Null for an empty line. */
  parse(text: string): CassetteLine | null;
  /** Throws when the end is missing. */
  finish(): void;
}

function createParser(source: string): Parser {
  let lineNumber = 0;
  let last: CassetteLine["type"] | "nothing" = "nothing";

  const fail = (problem: string, hint?: string): JlgcliError =>
    new JlgcliError("CASSETTE_INVALID", `${source}:${lineNumber}: ${problem}`, hint === undefined ? {} : { hint });

  return {
    parse(text) {
      lineNumber++;
      // A mark of the byte order, which editors put at the start of a file.
      const content = (lineNumber === 1 ? text.replace(/^\ufeff/, "") : text).trim();
      if (content === "") return null;
      if (last === "end") throw fail("nothing may follow the line that tells how the run ended");
      const line = last === "nothing" ? parseHeader(content, fail) : parseEntry(content, fail);
      last = line.type;
      return line;
    },
    finish() {
      if (last === "end") return;
      if (last === "nothing") throw fail("the cassette is empty");
      throw fail(
        "the line that tells how the run ended is missing: the recording was cut",
        'End the file with a line such as {"t":1000,"exit":0,"signal":null}.',
      );
    },
  };
}

type Fail = (problem: string, hint?: string) => JlgcliError;

function parseHeader(text: string, fail: Fail): CassetteLine {
  const value = parseObject(text, fail);
  if (value["jlgcli"] !== "cassette") {
    throw fail('this is no cassette: the first line must have "jlgcli":"cassette"', "Record one with `jlgcli run --record FILE`.");
  }
  if (value["version"] !== CASSETTE_VERSION) {
    throw fail(`version: expected ${CASSETTE_VERSION}, got ${show(value["version"])}`, "Record it again with this version of jlgcli.");
  }
  const { backend, backendVersion = null, recordedAt, argv, label, sample = false } = value;
  if (typeof backend !== "string" || backend === "") throw fail(`backend: expected the id of a backend, got ${show(backend)}`);
  if (typeof backendVersion !== "string" && backendVersion !== null) throw fail(`backendVersion: expected a string or null, got ${show(backendVersion)}`);
  if (typeof recordedAt !== "string" || Number.isNaN(Date.parse(recordedAt))) throw fail(`recordedAt: expected a time, got ${show(recordedAt)}`);
  if (!isStrings(argv)) throw fail(`argv: expected a list of strings, got ${show(argv)}`);
  if (typeof label !== "string") throw fail(`label: expected a string, got ${show(label)}`);
  if (typeof sample !== "boolean") throw fail(`sample: expected true or false, got ${show(sample)}`);
  return { type: "header", header: { backend, backendVersion, recordedAt, argv, label, sample } };
}

function parseEntry(text: string, fail: Fail): CassetteLine {
  const value = parseObject(text, fail);
  const atMs = value["t"];
  if (typeof atMs !== "number" || atMs < 0) throw fail(`t: expected milliseconds since the start, got ${show(atMs)}`);
  if ("fd" in value) return { type: "output", output: { atMs, ...parseOutput(value, fail) } };
  if ("exit" in value || "signal" in value) return { type: "end", end: { atMs, ...parseEnd(value, fail) } };
  throw fail('expected "fd" with output, or "exit" and "signal" with the end of the run');
}

function parseOutput(value: JsonObject, fail: Fail): Pick<CassetteOutput, "fd" | "bytes"> {
  const { fd, text, base64 } = value;
  if (fd !== 1 && fd !== 2) throw fail(`fd: expected 1 or 2, got ${show(fd)}`);
  if (typeof text === "string" && base64 === undefined) return { fd, bytes: Buffer.from(text) };
  if (typeof base64 === "string" && text === undefined && isBase64(base64)) return { fd, bytes: Buffer.from(base64, "base64") };
  throw fail('expected "text" with a string or "base64" with bytes in base64, and not both');
}

function parseEnd(value: JsonObject, fail: Fail): Pick<CassetteEnd, "exit" | "signal"> {
  const { exit = null, signal = null } = value;
  if (exit !== null && !isExitCode(exit)) throw fail(`exit: expected an exit code or null, got ${show(exit)}`);
  if (signal !== null && !isSignalName(signal)) throw fail(`signal: expected a name such as "SIGTERM" or null, got ${show(signal)}`);
  if ((exit === null) === (signal === null)) throw fail("expected either an exit code or a signal, and null for the other");
  return { exit, signal };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(text: string, fail: Fail): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(`not JSON: ${describeError(error)}`);
  }
  if (!isObject(value)) throw fail(`expected an object, got ${show(value)}`);
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isExitCode(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isSignalName(value: unknown): value is string {
  return typeof value === "string" && /^SIG[A-Z0-9]+$/.test(value);
}

function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

import { isUtf8 } from "node:buffer";
import { JlgcliError } from "../errors.js";
import { CASSETTE_VERSION, type CassetteHeader } from "./cassette.js";
import type { RecordingSink } from "./recording-spawner.js";
import { createRecordRedactor, type TaggedLine } from "./redact-records.js";
import type { Redactor, StreamRedactor } from "./redact.js";
import { createPrivateFile } from "./write-private-file.js";

/** What is known of a recording before its program starts. */
export interface CassetteSeed {
  readonly backend: string;
  readonly backendVersion: string | null;
  /** Absent: the backend, its version and the day. */
  readonly label?: string;
  readonly sample?: boolean;
}

export interface CassetteWriter extends RecordingSink {
  /**
   * Puts the cassette in its place and gives its path, or null when there was no whole run to record (nothing was
   * started, or it did not end); then nothing is left. Throws the first thing that went wrong while recording.
   */
  close(): string | null;
}

/**
 * Records one run as it happens. All output is redacted, also secrets that a streamed answer spreads over several
 * records; so a line is written a little later than it comes, with the time at which it came whole. The file is private
 * (0600) and takes its place only on `close()`: an older cassette stays until then, and when jlgcli itself is killed, all
 * but the last lines stay in the partial file beside it. It is written synchronously: a slow disk slows the run down, and
 * memory stays flat.
 *
 * Throws CANNOT_CREATE, at once: nobody pays for a run that cannot be recorded.
 */
export function createCassetteWriter(path: string, seed: CassetteSeed, redactor: Redactor): CassetteWriter {
  const file = createPrivateFile(path);
  const streams = { 1: createByteStream(redactor.stream()), 2: createByteStream(redactor.stream()) };
  const records = createRecordRedactor<OutputTag>(redactor);
  let failure: { readonly error: unknown } | null = null;
  let startedAtMs: number | null = null;
  let hasEnded = false;

  /** The run goes on when it cannot be recorded; `close` tells. */
  const attempt = (action: () => void): void => {
    if (failure !== null) return;
    try {
      action();
    } catch (error) {
      failure = { error };
    }
  };
  const elapsedMs = (): number => Math.round(performance.now() - (startedAtMs ?? 0));
  const writeLines = (lines: readonly object[]): void => file.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const writeOutput = (fd: 1 | 2, pieces: readonly Piece[]): void => {
    const t = elapsedMs();
    writeLines(joinLines(pieces.flatMap(({ form, content }) => records.push(content, { t, fd, form }))));
  };

  return {
    start(argv) {
      attempt(() => {
        if (startedAtMs !== null) throw new JlgcliError("INTERNAL", `${path}: a cassette holds one run, and a second program was started`);
        startedAtMs = performance.now();
        file.write(`${redactor(JSON.stringify({ jlgcli: "cassette", version: CASSETTE_VERSION, ...toHeader(seed, argv) }))}\n`);
      });
    },
    write(fd, bytes) {
      attempt(() => writeOutput(fd, streams[fd].push(bytes)));
    },
    end({ exitCode, signal }) {
      attempt(() => {
        writeOutput(1, streams[1].flush());
        writeOutput(2, streams[2].flush());
        writeLines(joinLines(records.flush()));
        writeLines([{ t: elapsedMs(), exit: exitCode, signal: exitCode === null ? (signal ?? "SIGTERM") : null }]);
        hasEnded = true;
      });
    },
    close() {
      try {
        if (failure !== null) throw failure.error;
        if (!hasEnded) return null;
        file.commit();
        return path;
      } finally {
        file.discard();
      }
    },
  };
}

function toHeader(seed: CassetteSeed, argv: readonly string[]): CassetteHeader {
  const recordedAt = new Date().toISOString();
  const { backend, backendVersion, sample = false } = seed;
  const label = seed.label ?? `${[backend, backendVersion].filter(Boolean).join(" ")}, recorded ${recordedAt.slice(0, 10)}`;
  return { backend, backendVersion, recordedAt, argv, label, sample };
}

interface OutputTag {
  readonly t: number;
  readonly fd: 1 | 2;
  readonly form: Piece["form"];
}

/** What came at once stands in one entry. */
function joinLines(lines: readonly TaggedLine<OutputTag>[]): readonly object[] {
  const entries: { readonly tag: OutputTag; content: string }[] = [];
  for (const { line, tag } of lines) {
    const last = entries.at(-1);
    if (last?.tag.t === tag.t && last.tag.fd === tag.fd && last.tag.form === "text" && tag.form === "text") last.content += line;
    else entries.push({ tag, content: line });
  }
  return entries.map(({ tag: { t, fd, form }, content }) => ({ t, fd, [form]: content }));
}

/** One line, or what there is of it. */
interface Piece {
  readonly form: "text" | "base64";
  readonly content: string;
}

interface ByteStream {
  push(bytes: Uint8Array): readonly Piece[];
  flush(): readonly Piece[];
}

/**
 * Redacts bytes, whatever they are: each is taken for one character (Latin-1), which every secret survives
 * and nothing else is changed by.
 */
function createByteStream(redactor: StreamRedactor): ByteStream {
  let carried: Buffer = Buffer.alloc(0);

  const take = (redacted: string): Buffer => {
    const bytes = Buffer.concat([carried, Buffer.from(redacted, "latin1")]);
    carried = Buffer.alloc(0);
    return bytes;
  };
  return {
    push(bytes) {
      const redacted = redactor.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"));
      if (redacted === "") return [];
      const all = take(redacted);
      const end = all.length - countUnfinished(all);
      carried = all.subarray(end);
      return toPieces(all.subarray(0, end));
    },
    flush: () => toPieces(take(redactor.flush())),
  };
}

/** How many bytes at the end begin a character of UTF-8 that is not whole yet: 0 to 3. */
function countUnfinished(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < characterLength(byte) ? count : 0;
  }
  return 0;
}

function characterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}

/** Lines that are not UTF-8 are kept as bytes; the rest stays readable. */
function toPieces(bytes: Buffer): readonly Piece[] {
  return splitLines(bytes).map((line) =>
    isUtf8(line) ? { form: "text", content: line.toString("utf8") } : { form: "base64", content: line.toString("base64") },
  );
}

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const lineBreak = bytes.indexOf(0x0a, start);
    const end = lineBreak === -1 ? bytes.length : lineBreak + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

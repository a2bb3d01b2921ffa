import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { CommandIo, PromptInput } from "../command-io.js";

/** The word that stands for standard input among the prompt's words. */
const STDIN_WORD = "-";
/** After this silence the person is told that we wait for standard input, in milliseconds. */
const SILENCE_NOTICE_MS = 3000;

export interface PromptSource {
  readonly words: readonly string[];
  readonly file?: string;
  /** What to tell someone whose prompt went somewhere else. */
  readonly swallowed?: string;
}

/**
 * The prompt of a run: its words, then a file's content, then standard input where `-` asks for it. Without words and
 * file, a standard input that is no terminal is read to its end; otherwise it is never touched, so that a
 * `while read` loop around us keeps its list.
 * @throws JlgcliError `USAGE_INVALID` without any prompt, `INPUT_NOT_FOUND` for an unreadable file, `PROMPT_INVALID` for bytes that are no UTF-8.
 */
export async function loadPrompt(source: PromptSource, io: CommandIo): Promise<string> {
  const words = source.words.filter((word) => word !== STDIN_WORD);
  const parts: string[] = words.length === 0 ? [] : [words.join(" ")];
  if (source.file !== undefined && source.file !== STDIN_WORD) parts.push(await loadPromptFile(source.file, io.cwd));
  const asked = source.words.includes(STDIN_WORD) || source.file === STDIN_WORD;
  if (asked || parts.length === 0) parts.push(await readStdin(io, asked, source.swallowed));
  const prompt = parts.join("\n\n");
  if (prompt.trim() === "") throw noPrompt("the prompt is empty", source.swallowed);
  return prompt;
}

async function loadPromptFile(file: string, cwd: string): Promise<string> {
  try {
    return decode(await readFile(resolve(cwd, file)), `the prompt file ${file}`);
  } catch (error) {
    if (error instanceof JlgcliError) throw error;
    throw new JlgcliError("INPUT_NOT_FOUND", `the prompt file ${file} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

async function readStdin(io: CommandIo, asked: boolean, swallowed: string | undefined): Promise<string> {
  const input = io.stdin?.();
  if (input === undefined || (input.isTty && !asked)) throw noPrompt("there is no prompt", swallowed);
  return decode(await collect(input, io), "standard input");
}

async function collect(input: PromptInput, io: CommandIo): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const notice = setTimeout(() => io.stderr("jlgcli: waiting for standard input to end …\n"), SILENCE_NOTICE_MS);
  try {
    for await (const chunk of untilAborted(input.chunks, io.signal)) {
      chunks.push(chunk);
      notice.refresh();
    }
  } catch (error) {
    if (error instanceof JlgcliError) throw error;
    throw new JlgcliError("INPUT_NOT_FOUND", `standard input cannot be read: ${describeError(error)}`, { cause: error });
  } finally {
    clearTimeout(notice);
  }
  return Buffer.concat(chunks);
}

/**
 * The chunks as they come. A signal ends the wait for the next one, which may never come.
 * @throws JlgcliError `INTERRUPTED`
 */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_resolve, reject) => {
    interrupt = () => reject(toInterruption(signal));
    if (signal?.aborted === true) interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
  });
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), interrupted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

function toInterruption(signal: AbortSignal | undefined): JlgcliError {
  const reason: unknown = signal?.reason;
  const name = typeof reason === "string" ? reason : undefined;
  return new JlgcliError("INTERRUPTED", `cancelled${name === undefined ? "" : ` by ${name}`} while reading standard input`, {
    ...(name === undefined ? {} : { signal: name }),
  });
}

function decode(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new JlgcliError("PROMPT_INVALID", `${place} is not valid UTF-8`, { hint: "convert it first, for instance with iconv -t UTF-8", cause: error });
  }
}

function noPrompt(message: string, swallowed?: string): JlgcliError {
  return new JlgcliError("USAGE_INVALID", message, {
    hint: swallowed ?? 'give one: jlgcli run "what does this project do?", jlgcli run --file prompt.md, or git diff | jlgcli run "review this" -',
  });
}

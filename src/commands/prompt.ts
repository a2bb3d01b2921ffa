import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { CommandIo, PromptInput } from "./io.js";

/** The word that stands for standard input among the prompt's words. */
const STDIN_WORD = "-";
/** After this silence the person is told that we wait for standard input, in milliseconds. */
const SILENCE_NOTICE_MS = 3000;

export interface PromptSource {
  readonly words: readonly string[];
  readonly file?: string;
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
  if (asked || parts.length === 0) parts.push(await readStdin(io, asked));
  const prompt = parts.join("\n\n");
  if (prompt.trim() === "") throw noPrompt("the prompt is empty");
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

async function readStdin(io: CommandIo, asked: boolean): Promise<string> {
  const input = io.stdin?.();
  if (input === undefined) throw noPrompt("there is no prompt");
  if (input.isTty && !asked) throw noPrompt("there is no prompt");
  return decode(await collect(input, io), "standard input");
}

async function collect(input: PromptInput, io: CommandIo): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const notice = setTimeout(() => io.stderr("jlgcli: waiting for standard input to end …\n"), SILENCE_NOTICE_MS);
  try {
    for await (const chunk of input.chunks) {
      chunks.push(chunk);
      notice.refresh();
      if (io.signal?.aborted === true) break;
    }
  } catch (error) {
    throw new JlgcliError("INPUT_NOT_FOUND", `standard input cannot be read: ${describeError(error)}`, { cause: error });
  } finally {
    clearTimeout(notice);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new JlgcliError("PROMPT_INVALID", `${place} is not valid UTF-8`, { hint: "convert it first, for instance with iconv -t UTF-8", cause: error });
  }
}

function noPrompt(message: string): JlgcliError {
  return new JlgcliError("USAGE_INVALID", message, {
    hint: 'give one: jlgcli run "what does this project do?", jlgcli run --file prompt.md, or git diff | jlgcli run "review this" -',
  });
}

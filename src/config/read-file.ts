import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { MAX_FILE_BYTES, PACKAGE_KEY } from "./find-files.js";
import { describeUnplainData } from "../plain-data.js";
import { printable } from "../printable.js";

/**
 * The content of a configuration file as plain data (what JSON can say).
 *
 * cosmiconfig's loaders read the text, but its `cosmiconfig()` is never called: that runs `.config/config.js` of the
 * current directory, follows `$import`, and passes over a file that cannot be read. A project's file is data.
 * @throws JlgcliError `CONFIG_INVALID` naming the file and, for text that does not parse, the line.
 */
export async function readConfigFile(path: string): Promise<unknown> {
  const text = await readText(path);
  if (text.trim() === "") return {};
  const content = await parseText(path, text);
  const problem = describeUnplainData(content);
  if (problem !== null) throw refuse(path, problem);
  return basename(path) === "package.json" ? ownProperty(content, PACKAGE_KEY) : content;
}

async function readText(path: string): Promise<string> {
  const stats = await stat(path).catch((error: unknown) => {
    throw refuse(path, `cannot be read: ${describeError(error)}`, error);
  });
  if (!stats.isFile()) throw refuse(path, "is not a regular file");
  if (stats.size > MAX_FILE_BYTES) throw refuse(path, `has ${stats.size} bytes; a configuration file has at most ${MAX_FILE_BYTES}`);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw refuse(path, `cannot be read: ${describeError(error)}`, error);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw refuse(path, "is not UTF-8 text", error);
  }
}

async function parseText(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseWithCosmiconfig(path, text);
  }
}

/** Reads YAML, and tells the line of a fault in JSON, which `JSON.parse` of Node 20 does not. Loaded only here: it costs more than the rest. */
async function parseWithCosmiconfig(path: string, text: string): Promise<unknown> {
  const { defaultLoadersSync } = await import("cosmiconfig");
  const isJson = extname(path) === ".json";
  try {
    const content: unknown = defaultLoadersSync[isJson ? ".json" : ".yaml"](path, text);
    // A file of comments alone.
    return content ?? {};
  } catch (error) {
    throw refuse(path, `is not valid ${isJson ? "JSON" : "YAML"}${describePlace(error)}`, error);
  }
}

/** The library's own message quotes the file, which may hold secrets: only the place (and YAML's reason) is passed on. */
function describePlace(error: unknown): string {
  const mark = ownProperty(error, "mark");
  const [line, column, reason] = [ownProperty(mark, "line"), ownProperty(mark, "column"), ownProperty(error, "reason")];
  if (typeof line === "number" && typeof column === "number") {
    return ` (line ${line + 1}, column ${column + 1}): ${printable(String(reason))}`;
  }
  const message = describeError(error).replaceAll(COLOUR, "");
  // Newer versions of Node: `… in JSON at position 22 (line 3 column 3) while parsing …`
  const told = /\(line (\d+) column (\d+)\)/.exec(message);
  if (told?.[1] !== undefined && told[2] !== undefined) return ` (line ${told[1]}, column ${told[2]})`;
  // > 3 |  b}
  //     |  ^
  const frame = /^> (\d+) \|.*\n\s*\| ( *)\^/m.exec(message);
  return frame?.[1] === undefined ? "" : ` (line ${frame[1]}, column ${(frame[2] ?? "").length + 1})`;
}

/** In CI, and where colours are forced, the library colours its message. */
const COLOUR = new RegExp(String.raw`\u001B\[[\d;]*m`, "g");

function ownProperty(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, name)?.value;
}

function refuse(path: string, problem: string, cause?: unknown): JlgcliError {
  return new JlgcliError("CONFIG_INVALID", `${printable(path)} ${problem}`, {
    hint: "mend or remove the file; `jlgcli config path` lists the files that count",
    cause,
  });
}

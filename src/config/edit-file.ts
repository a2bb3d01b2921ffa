import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { PACKAGE_KEY } from "./find-files.js";
import { printable } from "../printable.js";
import { writeAtomic } from "./write-atomic.js";

export type Values = Readonly<Record<string, unknown>>;

/**
 * Changes what a configuration file holds and keeps the rest of it, its indentation too. A file that is not there is made.
 * @param change gives the new values, or null where there is nothing to change.
 * @param mode of a new file.
 * @returns true where the file was written.
 * @throws JlgcliError `CANNOT_CREATE` for YAML, whose comments would be lost, and where the file cannot be written.
 */
export async function editConfigFile(path: string, change: (values: Values) => Values | null, mode: number): Promise<boolean> {
  const text = await readText(path);
  const whole = parseJsonObject(path, text);
  const inPackage = basename(path) === "package.json";
  const changed = change(inPackage ? toObject(path, whole[PACKAGE_KEY]) : whole);
  if (changed === null) return false;
  const content = inPackage ? { ...whole, [PACKAGE_KEY]: changed } : changed;
  await writeAtomic(path, `${JSON.stringify(content, null, findIndentation(text))}\n`, mode);
  return true;
}

async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw refuse(path, `cannot be read: ${describeError(error)}`);
  }
}

function parseJsonObject(path: string, text: string): Values {
  if (text.trim() === "") return {};
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw refuse(path, "is not JSON, and only JSON is edited");
  }
  return toObject(path, content);
}

function toObject(path: string, content: unknown): Values {
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return { ...content };
  throw refuse(path, "holds no object of keys");
}

function findIndentation(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

function refuse(path: string, problem: string): JlgcliError {
  return new JlgcliError("CANNOT_CREATE", `${printable(path)} ${problem}`, { hint: "change the file by hand" });
}

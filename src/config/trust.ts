import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { findHome, type Environment } from "../environment.js";
import { printable } from "../printable.js";
import { isWithin, toRealPath } from "./real-path.js";
import { writeAtomic } from "./write-atomic.js";

const PRIVATE = 0o600;

/** True where the user trusts a folder: it or a folder above it was named to `jlgcli trust`, or the environment trusts all. */
export async function isTrusted(folder: string, env: Environment): Promise<boolean> {
  return trustsAll(env) || (await findTrustedFolder(folder, env)) !== null;
}

/** `JLGCLI_TRUST=1` (what `--trust` sets) trusts every folder, for CI. */
export function trustsAll(env: Environment): boolean {
  return env.JLGCLI_TRUST === "1" || env.JLGCLI_TRUST === "true";
}

/** The environment of a command that was given `--trust`, or not. */
export function toTrustingEnv(env: Readonly<Record<string, string>>, trusts: boolean | undefined): Readonly<Record<string, string>> {
  return trusts === true ? { ...env, JLGCLI_TRUST: "1" } : env;
}

/**
 * The folder whose trust a project's file lacks; null where it counts in full. Two folders must be trusted, the one
 * the file was found in and the one a symbolic link leads to: an untrusted project must not borrow a trusted one's file.
 */
export async function findUntrustedFolder(file: { readonly path: string; readonly folder: string }, env: Environment): Promise<string | null> {
  for (const folder of [toRealPath(file.folder), dirname(toRealPath(file.path))]) {
    if (!(await isTrusted(folder, env))) return folder;
  }
  return null;
}

/** The nearest trusted folder that covers this one: itself or one above it. */
export async function findTrustedFolder(folder: string, env: Environment): Promise<string | null> {
  const trusted = await listTrusted(env);
  const realFolder = toRealPath(folder);
  const covering = trusted.filter((entry) => isWithin(realFolder, entry));
  return covering.sort((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * The real paths of the trusted folders, sorted.
 * @throws JlgcliError `CONFIG_INVALID` for a store that cannot be read: then nothing is taken for trusted.
 */
export async function listTrusted(env: Environment): Promise<readonly string[]> {
  const path = trustFile(env);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw refuse(path, `cannot be read: ${describeError(error)}`);
  });
  return text === null ? [] : parseStore(path, text);
}

/** Trusts a folder and all below it. True where it was not trusted by itself before. */
export async function trustFolder(folder: string, env: Environment): Promise<boolean> {
  const trusted = await listTrusted(env);
  const realFolder = toRealPath(folder);
  if (trusted.includes(realFolder)) return false;
  await writeStore([...trusted, realFolder], env);
  return true;
}

/** Takes a folder's own trust back, not that of one above it. True where there was one. The folder may be gone. */
export async function revokeTrust(folder: string, env: Environment): Promise<boolean> {
  const trusted = await listTrusted(env);
  const realFolder = toRealPath(folder);
  if (!trusted.includes(realFolder)) return false;
  await writeStore(trusted.filter((entry) => entry !== realFolder), env);
  return true;
}

/** Where the trusted folders are kept. */
export function trustFile(env: Environment): string {
  return join(findHome(env), ".jlgcli", "trusted.json");
}

function parseStore(path: string, text: string): readonly string[] {
  let store: unknown;
  try {
    store = JSON.parse(text);
  } catch {
    throw refuse(path, "is not valid JSON");
  }
  const folders: unknown = typeof store === "object" && store !== null && "folders" in store ? store.folders : undefined;
  if (!Array.isArray(folders) || !folders.every(isAbsolutePath)) {
    throw refuse(path, 'must be {"folders": [absolute paths]}');
  }
  return folders;
}

function isAbsolutePath(entry: unknown): entry is string {
  return typeof entry === "string" && isAbsolute(entry);
}

async function writeStore(folders: readonly string[], env: Environment): Promise<void> {
  const sorted = [...new Set(folders)].sort();
  await writeAtomic(trustFile(env), `${JSON.stringify({ folders: sorted }, null, 2)}\n`, PRIVATE);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function refuse(path: string, problem: string): JlgcliError {
  return new JlgcliError("CONFIG_INVALID", `${printable(path)} ${problem}`, {
    hint: "remove the file and trust your folders again with `jlgcli trust`",
  });
}

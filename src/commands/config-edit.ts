import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkConfig } from "../config/check.js";
import { editConfigFile, type Values } from "../config/edit-file.js";
import { findHome } from "../environment.js";
import { USER_PLACES, findProjectFile, findProjectRoot, findUserFile } from "../config/find-files.js";
import { parseKeyPath, parseValue, type KeyPath } from "../config/key-path.js";
import { explainConfig, loadConfigWithSources, type Config } from "../config/loader.js";
import { preview, printable } from "../printable.js";
import { readConfigFile } from "../config/read-file.js";
import { JlgcliError, describeError } from "../errors.js";
import type { CommandIo } from "../command-io.js";

export interface ConfigEdit {
  readonly key: string;
  /** The project's file instead of the user's own. */
  readonly project?: boolean;
}

/** A user's file may hold secrets in `env`; a project's is made to be shared. */
const USER_MODE = 0o600;
const PROJECT_MODE = 0o644;

/** Sets a key in the user's file or the project's, and tells where another layer keeps it from counting. */
export async function runConfigSet({ key, value: text, project = false }: ConfigEdit & { readonly value: string }, io: CommandIo): Promise<void> {
  const path = await parseKeyPath(key);
  const value = parseValue(path, text);
  await checkTyped(withValue({}, path, value));
  const file = findTarget(project, io);
  if (existsSync(file)) await checkConfig(await readConfigFile(file), { place: `in ${printable(file)}` });
  await editConfigFile(file, (values) => withValue(values, path, value), project ? PROJECT_MODE : USER_MODE);
  io.stdout(`${key} is set in ${printable(file)}\n`);
  if (path.key === "backend") await tellUnknownBackend(text, io);
  await tellWhatHolds(path, file, io);
}

/** Takes a key out of the user's file or the project's: also one that jlgcli does not know, so that a file can be mended. */
export async function runConfigUnset({ key, project = false }: ConfigEdit, io: CommandIo): Promise<void> {
  const file = findTarget(project, io);
  const isThere = existsSync(file) && (await removeKey(file, key));
  if (!isThere) await parseKeyPath(key);
  io.stdout(`${printable(key)} is ${isThere ? "no longer" : "not"} set in ${printable(file)}\n`);
}

function removeKey(file: string, name: string): Promise<boolean> {
  return editConfigFile(file, (values) => withoutKey(values, name) ?? withoutEntry(values, name), USER_MODE);
}

/** A value that was typed is a matter of usage, not of a broken file. */
async function checkTyped(values: Values): Promise<void> {
  try {
    await checkConfig(values, { place: "on the command line" });
  } catch (error) {
    if (!(error instanceof JlgcliError)) throw error;
    throw new JlgcliError("USAGE_INVALID", error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

function findTarget(project: boolean, io: CommandIo): string {
  const home = findHome(io.env);
  const [newFile] = USER_PLACES;
  if (!project) return findUserFile(home)?.path ?? join(home, newFile);
  const found = findProjectFile(io.cwd, home);
  if (found !== null) return found.path;
  const root = findProjectRoot(io.cwd, home);
  if (root !== null) return join(root, newFile);
  throw new JlgcliError("USAGE_INVALID", "the home folder is no project: what lies there is your own configuration", { hint: "leave --project out" });
}

/** No error: the record may be added later. */
async function tellUnknownBackend(id: string, io: CommandIo): Promise<void> {
  const { listBackendIds } = await import("../adapters/backend-ids.js");
  const { config } = await loadConfigWithSources(io).catch((): { config: Config } => ({ config: {} }));
  const known = listBackendIds({ env: io.env, records: config.backends ?? {} });
  if (known.includes(id)) return;
  const { didYouMean } = await import("../did-you-mean.js");
  const meant = didYouMean(id, known);
  io.stderr(`no backend has the id ${preview(id)} yet; ${meant === null ? `there are ${known.join(", ")}` : `did you mean ${preview(meant)}?`}\n`);
}

/** A value that was set but does not hold would puzzle; a fault in another file is told, and does not undo the change. */
async function tellWhatHolds({ key, entry }: KeyPath, file: string, io: CommandIo): Promise<void> {
  try {
    const { entries, warnings } = await explainConfig(io);
    for (const warning of warnings) if (warning.key === key && warning.file === file) io.stderr(`${warning.message}\n`);
    const name = entry === null ? key : `${key}.${entry}`;
    const inForce = entries.find((candidate) => candidate.key === name);
    const place = inForce?.file ?? inForce?.variable ?? null;
    if (place !== null && place !== file) io.stderr(`${name} is also set in ${printable(place)}, which wins here\n`);
  } catch (error) {
    io.stderr(`${describeError(error)}\n`);
  }
}

function withValue(values: Values, { key, entry }: KeyPath, value: unknown): Values {
  return { ...values, [key]: entry === null ? value : { ...toEntries(values[key]), [entry]: value } };
}

/** Null where the key is not there. */
function withoutKey(values: Values, name: string): Values | null {
  if (!Object.hasOwn(values, name)) return null;
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** `env.CI` -> `env` without `CI`; without `env` where nothing is left. */
function withoutEntry(values: Values, name: string): Values | null {
  const [head = "", ...rest] = name.split(".");
  const left = withoutKey(toEntries(values[head]), rest.join("."));
  if (left === null) return null;
  return Object.keys(left).length === 0 ? withoutKey(values, head) : { ...values, [head]: left };
}

function toEntries(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findHome } from "../environment.js";
import { USER_PLACES, findProjectFile, findUserFile } from "../config/find-files.js";
import { parseKeyPath, type KeyPath } from "../config/key-path.js";
import { explainConfig, type ConfigEntry, type ConfigExplanation } from "../config/loader.js";
import { printable } from "../printable.js";
import { findUntrustedFolder } from "../config/trust.js";
import { exitCodeOf } from "../exit-codes.js";
import { runConfigSet, runConfigUnset } from "./config-edit.js";
import type { CommandIo } from "../command-io.js";

/** What `jlgcli config …` is asked to do. */
export type ConfigArgs =
  | { readonly action: "get"; readonly key: string; readonly json?: boolean }
  | { readonly action: "set"; readonly key: string; readonly value: string; readonly project?: boolean }
  | { readonly action: "unset"; readonly key: string; readonly project?: boolean }
  | { readonly action: "show"; readonly json?: boolean }
  | { readonly action: "path"; readonly json?: boolean };

/**
 * Shows and changes the configuration.
 * @throws JlgcliError `USAGE_INVALID` for a wrong key or value, `CONFIG_INVALID` for a file that cannot be used,
 * `CANNOT_CREATE` for one that cannot be written.
 */
export async function runConfigCommand(args: ConfigArgs, io: CommandIo): Promise<number> {
  switch (args.action) {
    case "get":
      await runGet(args.key, args.json ?? false, io);
      break;
    case "set":
      await runConfigSet(args, io);
      break;
    case "unset":
      await runConfigUnset(args, io);
      break;
    case "show":
      await runShow(args.json ?? false, io);
      break;
    case "path":
      await runPath(args.json ?? false, io);
      break;
    default:
      args satisfies never;
  }
  return exitCodeOf("success");
}

async function runGet(name: string, json: boolean, io: CommandIo): Promise<void> {
  const path = await parseKeyPath(name);
  const explanation = await explainConfig(io);
  warn(explanation, io);
  const value = findValue(path, explanation);
  if (json) io.stdout(`${JSON.stringify(value ?? null)}\n`);
  else if (value === undefined) io.stderr(`${name} is not set\n`);
  else io.stdout(`${toText(value)}\n`);
}

function findValue({ key, entry }: KeyPath, { config, entries }: ConfigExplanation): unknown {
  if (entry === null && config[key] !== undefined) return config[key];
  const name = entry === null ? key : `${key}.${entry}`;
  return entries.find((candidate) => candidate.key === name)?.value;
}

async function runShow(json: boolean, io: CommandIo): Promise<void> {
  const explanation = await explainConfig(io);
  const entries = explanation.entries.map(hideVariable);
  if (json) {
    const { warnings, projectTrusted } = explanation;
    const values = entries.map((entry) => ({ ...entry, value: entry.value ?? null }));
    io.stdout(`${JSON.stringify({ entries: values, warnings, projectTrusted }, null, 2)}\n`);
    return;
  }
  warn(explanation, io);
  io.stdout(toTable(entries.map((entry) => [printable(entry.key), describeValue(entry), describeOrigin(entry)])));
}

/** Variables of the backend are often credentials, and what `show` prints is often pasted somewhere; `config get env` tells them. */
function hideVariable(entry: ConfigEntry): ConfigEntry {
  return entry.key.startsWith("env.") ? { ...entry, value: "***" } : entry;
}

function describeValue({ value }: ConfigEntry): string {
  return value === undefined ? "(not set)" : printable(toText(value));
}

function describeOrigin({ source, file, variable }: ConfigEntry): string {
  const place = file ?? variable;
  return [source ?? "", place === null ? "" : printable(place)].filter(Boolean).join("  ");
}

function toTable(rows: readonly (readonly [string, string, string])[]): string {
  const [keyWidth, valueWidth] = [widthOf(rows.map(([key]) => key)), widthOf(rows.map(([, value]) => value))];
  return rows.map(([key, value, origin]) => `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${origin}`.trimEnd() + "\n").join("");
}

/** One long value must not push the others' origins out of sight. */
function widthOf(cells: readonly string[]): number {
  const WIDEST = 40;
  return Math.max(0, ...cells.map((cell) => cell.length).filter((width) => width <= WIDEST));
}

/** Works also where a file is broken: it is how one finds that file. */
async function runPath(json: boolean, io: CommandIo): Promise<void> {
  const home = findHome(io.env);
  const user = findUserFile(home)?.path ?? join(home, USER_PLACES[0]);
  const found = findProjectFile(io.cwd, home);
  const project = found === null ? null : { file: found.path, trusted: (await findUntrustedFolder(found, io.env)) === null };
  if (json) {
    io.stdout(`${JSON.stringify({ user: { file: user, exists: existsSync(user) }, project }, null, 2)}\n`);
    return;
  }
  io.stdout(`user     ${printable(user)}${existsSync(user) ? "" : " (not there)"}\n`);
  io.stdout(`project  ${project === null ? "(none)" : printable(project.file) + (project.trusted ? "" : " (folder not trusted)")}\n`);
}

function warn({ warnings }: ConfigExplanation, io: CommandIo): void {
  for (const { message } of warnings) io.stderr(`${message}\n`);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

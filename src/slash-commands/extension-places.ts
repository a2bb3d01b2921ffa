import fs from "node:fs";
import path from "node:path";
import { findHome } from "../environment.js";
import { isWithin, toRealPath } from "../config/real-path.js";
import { findClaudeHome, type CommandPlace } from "./command-places.js";
import { isRecord } from "./front-matter.js";
import type { DialectId } from "./types.js";

/**
 * The places of installed plugins of Claude Code and extensions of Gemini CLI and Qwen Code, in order of their names.
 * What the user switched off there stays off. An unreadable manifest leaves its extension with the default folders.
 */
export function listExtensionPlaces(cwd: string, env: Readonly<Record<string, string>>): CommandPlace[] {
  const home = findHome(env);
  return [
    ...listClaudePlugins(findClaudeHome(env), cwd).flatMap(claudePlaces),
    ...listExtensions(path.join(home, ".gemini"), "gemini-extension.json", cwd).flatMap((extension) => extensionPlaces("gemini", [".toml"], extension)),
    ...listExtensions(path.join(home, ".qwen"), "qwen-extension.json", cwd).flatMap((extension) => extensionPlaces("qwen", [".md", ".toml"], extension)),
  ];
}

interface Installed {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** `plugins/installed_plugins.json`: id -> one installation (version 1) or a list of them (version 2). */
function listClaudePlugins(claudeHome: string, cwd: string): Installed[] {
  const installed = readJson(path.join(claudeHome, "plugins", "installed_plugins.json"))["plugins"];
  const enabled = readJson(path.join(claudeHome, "settings.json"))["enabledPlugins"];
  return Object.entries(isRecord(installed) ? installed : {})
    .filter(([id]) => !isRecord(enabled) || enabled[id] !== false)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, installations]) => toPlugin(id, Array.isArray(installations) ? installations : [installations], cwd));
}

function toPlugin(id: string, installations: readonly unknown[], cwd: string): Installed[] {
  const here = installations.filter(isRecord).find((installation) => isForFolder(installation["projectPath"], cwd));
  const folder = here?.["installPath"];
  if (typeof folder !== "string") return [];
  const manifest = readJson(path.join(folder, ".claude-plugin", "plugin.json"));
  const name = manifest["name"];
  return [{ name: typeof name === "string" ? name : (id.split("@")[0] ?? id), folder, manifest }];
}

function isForFolder(projectPath: unknown, cwd: string): boolean {
  return typeof projectPath !== "string" || isWithin(toRealPath(cwd), toRealPath(projectPath));
}

function claudePlaces({ name, folder, manifest }: Installed): CommandPlace[] {
  const extension = { name, folder, isAlwaysPrefixed: true };
  const place = (form: CommandPlace["form"], sub: string): CommandPlace => ({
    folder: path.join(folder, sub),
    owner: name,
    dialect: "claude",
    form,
    endings: [".md"],
    isNested: true,
    scope: "extension",
    projectFolder: null,
    extension,
  });
  return [
    ...["skills", ...foldersIn(manifest["skills"], folder)].map((sub) => place("skills", sub)),
    ...["commands", ...foldersIn(manifest["commands"], folder)].map((sub) => place("commands", sub)),
  ].filter(isFirstOfItsFolder);
}

function listExtensions(vendorHome: string, manifestName: string, cwd: string): Installed[] {
  const root = path.join(vendorHome, "extensions");
  const enablement = readJson(path.join(root, "extension-enablement.json"));
  return listFolders(root)
    .map((folder): Installed => {
      const manifest = readJson(path.join(folder, manifestName));
      const name = manifest["name"];
      return { name: typeof name === "string" && name !== "" ? name : path.basename(folder), folder, manifest };
    })
    .filter(({ name }) => isEnabled(enablement[name], cwd));
}

function extensionPlaces(dialect: DialectId, endings: readonly string[], { name, folder, manifest }: Installed): CommandPlace[] {
  const named = foldersIn(manifest["commands"], folder);
  const base = { owner: name, isNested: true, scope: "extension", projectFolder: null, extension: { name, folder, isAlwaysPrefixed: false } } as const;
  const commandFolders = named.length === 0 ? ["commands"] : named;
  return [
    ...commandFolders.map((sub): CommandPlace => ({ ...base, folder: path.join(folder, sub), dialect, form: "commands", endings })),
    { ...base, folder: path.join(folder, "skills"), dialect: dialect === "qwen" ? "qwen" : "agents", form: "skills", endings: [".md"] },
  ];
}

/** Rules such as `/home/me/*` and `!/home/me/work/*`: the last one that covers the folder decides. */
function isEnabled(entry: unknown, cwd: string): boolean {
  const overrides = isRecord(entry) && Array.isArray(entry["overrides"]) ? entry["overrides"] : [];
  const deciding = overrides.filter((rule) => typeof rule === "string").findLast((rule) => covers(rule.replace(/^!/u, ""), cwd));
  return deciding?.startsWith("!") !== true;
}

function covers(rule: string, cwd: string): boolean {
  return `${toRealPath(cwd)}/`.startsWith(rule.replace(/\*$/u, ""));
}

/** Folders that a manifest names, as far as they lie inside of the extension. */
function foldersIn(value: unknown, folder: string): string[] {
  const named = Array.isArray(value) ? value : [value];
  return named.filter((sub) => typeof sub === "string").filter((sub) => isWithin(path.resolve(folder, sub), folder));
}

function isFirstOfItsFolder(place: CommandPlace, index: number, places: readonly CommandPlace[]): boolean {
  return places.findIndex((other) => other.folder === place.folder) === index;
}

function listFolders(root: string): string[] {
  try {
    return fs
      .readdirSync(root)
      .sort()
      .map((name) => path.join(root, name))
      .filter((folder) => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
  } catch {
    return [];
  }
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

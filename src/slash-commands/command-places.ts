import path from "node:path";
import { findHome } from "../environment.js";
import { toRealPath } from "../config/real-path.js";
import type { DialectId } from "./types.js";
import { findWorkspaceFolders } from "./workspace.js";

/** One folder that people keep commands in. */
export interface CommandPlace {
  readonly folder: string;
  /** Whose folder it is; the second part of a prefixed name. */
  readonly owner: string;
  readonly dialect: DialectId;
  readonly form: "commands" | "skills";
  /** Endings of command files, the longest match first. */
  readonly endings: readonly string[];
  /** False: only files that lie in the folder itself. */
  readonly isNested: boolean;
  readonly scope: "project" | "user" | "extension";
  /** The project's folder that was asked for trust; null for places of the user. */
  readonly projectFolder: string | null;
  readonly extension: ExtensionOfPlace | null;
}

export interface ExtensionOfPlace {
  readonly name: string;
  readonly folder: string;
  /** True: its commands are always called `name:command`. */
  readonly isAlwaysPrefixed: boolean;
}

type PlaceKind = Pick<CommandPlace, "owner" | "dialect" | "form" | "endings" | "isNested">;

const MARKDOWN = [".md"];
const MARKDOWN_AND_TOML = [".md", ".toml"];

function commands(owner: string, dialect: DialectId, endings: readonly string[], isNested = true): PlaceKind {
  return { owner, dialect, form: "commands", endings, isNested };
}

function skills(owner: string, dialect: DialectId): PlaceKind {
  return { owner, dialect, form: "skills", endings: MARKDOWN, isNested: true };
}

/** Places below a project's folder, the first wins a name. Sources: the vendors' documentation of each folder. */
const PROJECT_PLACES: readonly (readonly [string, PlaceKind])[] = [
  [".jlgcli/commands", commands("jlgcli", "jlgcli", MARKDOWN_AND_TOML)],
  [".jlgcli/skills", skills("jlgcli", "jlgcli")],
  // claude lets a skill win over a command of its name
  [".claude/skills", skills("claude", "claude")],
  [".claude/commands", commands("claude", "claude", MARKDOWN)],
  [".gemini/commands", commands("gemini", "gemini", [".toml"])],
  [".gemini/skills", skills("gemini", "agents")],
  [".qwen/commands", commands("qwen", "qwen", MARKDOWN_AND_TOML)],
  [".qwen/skills", skills("qwen", "qwen")],
  [".github/prompts", commands("vscode", "vscode", [".prompt.md"], false)],
  [".github/skills", skills("copilot", "copilot")],
  [".agents/skills", skills("agents", "agents")],
];

/** The project's places of a working directory, the nearest folder first, and the user's. */
export function listCommandPlaces(cwd: string, env: Readonly<Record<string, string>>): CommandPlace[] {
  const home = findHome(env);
  const realHome = toRealPath(home);
  const projectFolders = findWorkspaceFolders(cwd).filter((folder) => toRealPath(folder) !== realHome);
  return [
    ...projectFolders.flatMap((projectFolder) => PROJECT_PLACES.map(([folder, kind]) => toProjectPlace(projectFolder, folder, kind))),
    ...userPlaces(home, env).map(([folder, kind]): CommandPlace => ({ ...kind, folder, scope: "user", projectFolder: null, extension: null })),
  ];
}

/** Where Claude Code keeps what is the user's. */
export function findClaudeHome(env: Readonly<Record<string, string>>): string {
  return env["CLAUDE_CONFIG_DIR"] || path.join(findHome(env), ".claude");
}

/** Where Codex keeps what is the user's. */
export function findCodexHome(env: Readonly<Record<string, string>>): string {
  return env["CODEX_HOME"] || path.join(findHome(env), ".codex");
}

function userPlaces(home: string, env: Readonly<Record<string, string>>): readonly (readonly [string, PlaceKind])[] {
  const [claudeHome, codexHome] = [findClaudeHome(env), findCodexHome(env)];
  return [
    [path.join(home, ".jlgcli/commands"), commands("jlgcli", "jlgcli", MARKDOWN_AND_TOML)],
    [path.join(home, ".jlgcli/skills"), skills("jlgcli", "jlgcli")],
    [path.join(claudeHome, "skills"), skills("claude", "claude")],
    [path.join(claudeHome, "commands"), commands("claude", "claude", MARKDOWN)],
    [path.join(home, ".gemini/commands"), commands("gemini", "gemini", [".toml"])],
    [path.join(home, ".gemini/skills"), skills("gemini", "agents")],
    [path.join(home, ".qwen/commands"), commands("qwen", "qwen", MARKDOWN_AND_TOML)],
    [path.join(home, ".qwen/skills"), skills("qwen", "qwen")],
    [path.join(codexHome, "prompts"), commands("codex", "codex", MARKDOWN, false)],
    [path.join(codexHome, "skills"), skills("codex", "agents")],
    [path.join(home, ".copilot/skills"), skills("copilot", "copilot")],
    [path.join(home, ".agents/skills"), skills("agents", "agents")],
  ];
}

function toProjectPlace(projectFolder: string, folder: string, kind: PlaceKind): CommandPlace {
  return { ...kind, folder: path.join(projectFolder, folder), scope: "project", projectFolder, extension: null };
}

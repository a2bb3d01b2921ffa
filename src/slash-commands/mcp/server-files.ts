import path from "node:path";
import { findHome } from "../../environment.js";
import { findClaudeHome, findCodexHome } from "../command-places.js";
import { findWorkspaceFolders } from "../workspace.js";

/** How the servers of a file are written. */
export type ServerSyntax = "claude" | "gemini" | "vscode" | "codex";

export interface ServerFile {
  readonly file: string;
  readonly syntax: ServerSyntax;
  readonly format: "jsonc" | "toml";
  /** Where the servers stand in the file. */
  readonly path: readonly string[];
  /** The project that must be trusted; null for files of the user. */
  readonly projectFolder: string | null;
}

const PROJECT_FILES: readonly (readonly [string, Pick<ServerFile, "syntax" | "format" | "path">])[] = [
  [".mcp.json", { syntax: "claude", format: "jsonc", path: ["mcpServers"] }],
  [".gemini/settings.json", { syntax: "gemini", format: "jsonc", path: ["mcpServers"] }],
  [".qwen/settings.json", { syntax: "gemini", format: "jsonc", path: ["mcpServers"] }],
  [".vscode/mcp.json", { syntax: "vscode", format: "jsonc", path: ["servers"] }],
  [".codex/config.toml", { syntax: "codex", format: "toml", path: ["mcp_servers"] }],
];

/** Every file of other tools that may name MCP servers: the project's, nearest folder first, then the user's. */
export function listServerFiles(cwd: string, env: Readonly<Record<string, string>>): ServerFile[] {
  const home = findHome(env);
  const projectFolders = findWorkspaceFolders(cwd).filter((folder) => folder !== home);
  const claudeFile = env["CLAUDE_CONFIG_DIR"] ? path.join(findClaudeHome(env), ".claude.json") : path.join(home, ".claude.json");
  const claude = { file: claudeFile, syntax: "claude", format: "jsonc", projectFolder: null } as const;
  return [
    ...projectFolders.flatMap((folder) => PROJECT_FILES.map(([file, kind]): ServerFile => ({ ...kind, file: path.join(folder, file), projectFolder: folder }))),
    // what the user added for this project alone
    ...projectFolders.map((folder): ServerFile => ({ ...claude, path: ["projects", folder, "mcpServers"] })),
    { ...claude, path: ["mcpServers"] },
    { file: path.join(home, ".gemini/settings.json"), syntax: "gemini", format: "jsonc", path: ["mcpServers"], projectFolder: null },
    { file: path.join(home, ".qwen/settings.json"), syntax: "gemini", format: "jsonc", path: ["mcpServers"], projectFolder: null },
    { file: path.join(findCodexHome(env), "config.toml"), syntax: "codex", format: "toml", path: ["mcp_servers"], projectFolder: null },
  ];
}

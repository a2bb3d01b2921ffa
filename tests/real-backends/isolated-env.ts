import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BackendId, PROGRAMS_DIRECTORY } from "./backends.js";

export interface IsolatedEnv {
  /** A throw-away home; nothing of the real one is visible. */
  home: string;
  /** A working directory outside the home, empty but for what the test puts there. */
  cwd: string;
  /** A directory outside both, to see whether a backend writes beyond its working directory. */
  outside: string;
  /** The first folder of `PATH`: node and the backend. */
  bin: string;
  /** The whole environment, built from nothing. */
  env: Record<string, string>;
  /** Marks every process of this run: the value of `JLGCLI_RUN_ID`. */
  runId: string;
  cleanUp(): Promise<void>;
}

export interface IsolatedEnvOptions {
  /** Base URL of the model server, without `/v1`. */
  serverUrl: string;
  /** Gives the backend neither a key nor a provider that works without one. */
  withoutCredentials?: boolean;
  /** codex talks to its built-in provider, which needs a login, instead of a custom one with a key in the environment. */
  builtInProvider?: boolean;
  /** The home's own settings allow every tool, as an incautious user's would. */
  settingsAllowEverything?: boolean;
  /** Retries inside the backend are switched off where it has a setting for that; default true. */
  withoutRetries?: boolean;
  /** Live in the same home, for what goes from one backend to another. */
  otherBackends?: readonly BackendId[];
  /** Added last. */
  env?: Record<string, string>;
}

/** Builds a home and an environment in which a real backend meets only the model server. */
export async function createIsolatedEnv(backend: BackendId, options: IsolatedEnvOptions): Promise<IsolatedEnv> {
  const root = await mkdtemp(join(BASE_DIRECTORY, `jlgcli-${backend}-`));
  const { home, cwd, outside, bin, tmp } = await makeDirectories(root);
  const runId = randomUUID();
  const backends = [backend, ...(options.otherBackends ?? [])];
  await linkPrograms(bin, backends);
  for (const each of backends) await SETUPS[each].prepareHome(home, cwd, options);
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: tmp,
    JLGCLI_RUN_ID: runId,
    ...QUIET,
    ...Object.fromEntries(backends.flatMap((each) => Object.entries(SETUPS[each].variables(options)))),
    ...options.env,
  };
  return { home, cwd, outside, bin, env, runId, cleanUp: () => rm(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Not below `/tmp`, which codex's sandbox leaves writable: `outside` would not be outside. */
export const BASE_DIRECTORY = "/var/tmp";

/** Variables that keep the backends from calling home. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  COPILOT_AUTO_UPDATE: "false",
};

interface BackendSetup {
  prepareHome(home: string, cwd: string, options: IsolatedEnvOptions): Promise<void>;
  variables(options: IsolatedEnvOptions): Record<string, string>;
}

const SETUPS: Record<BackendId, BackendSetup> = {
  claude: {
    prepareHome: async (home, _cwd, options) => {
      if (options.settingsAllowEverything) await writeJson(join(home, ".claude", "settings.json"), CLAUDE_ALLOWS_EVERYTHING);
    },
    variables: (options) => ({
      ANTHROPIC_BASE_URL: options.serverUrl,
      ...(options.withoutCredentials ? {} : { ANTHROPIC_API_KEY: "sk-ant-test-key" }),
      ...(options.withoutRetries === false ? {} : { CLAUDE_CODE_MAX_RETRIES: "0" }),
    }),
  },
  codex: {
    prepareHome: async (home, _cwd, options) => {
      await writeText(join(home, ".codex", "config.toml"), codexConfig(options));
      if (options.settingsAllowEverything) await writeCodexRules(home);
    },
    variables: (options) => (options.withoutCredentials ? {} : { STUB_API_KEY: "sk-test-key", CODEX_API_KEY: "sk-test-key" }),
  },
  copilot: {
    prepareHome: async (home, cwd, options) => {
      await linkWarmCache(home);
      if (options.settingsAllowEverything) await writeCopilotSettings(home, cwd);
    },
    variables: (options) => ({
      ...(options.withoutCredentials ? NO_WAY_OUT : copilotProvider(options)),
      ...(options.settingsAllowEverything ? { COPILOT_ALLOW_ALL: "true" } : {}),
    }),
  },
};

const CLAUDE_ALLOWS_EVERYTHING = {
  permissions: { allow: ["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch", "Read"], defaultMode: "acceptEdits", additionalDirectories: ["/"] },
};

function codexConfig(options: IsolatedEnvOptions): string {
  const provider = options.builtInProvider ? builtInProvider(options) : customProvider(options);
  return [
    'model = "stub-model"',
    ...provider.top,
    ...(options.settingsAllowEverything ? ['sandbox_mode = "danger-full-access"', 'approval_policy = "never"'] : []),
    "",
    "[analytics]",
    "enabled = false",
    "",
    ...provider.tables,
  ].join("\n");
}

interface TomlPart {
  top: readonly string[];
  tables: readonly string[];
}

function builtInProvider(options: IsolatedEnvOptions): TomlPart {
  return { top: [`openai_base_url = "${options.serverUrl}/v1"`], tables: [] };
}

function customProvider(options: IsolatedEnvOptions): TomlPart {
  const retries = options.withoutRetries === false ? [] : ["request_max_retries = 0", "stream_max_retries = 0"];
  const table = ["[model_providers.stub]", 'name = "stub"', `base_url = "${options.serverUrl}/v1"`, 'env_key = "STUB_API_KEY"', 'wire_api = "responses"'];
  return { top: ['model_provider = "stub"'], tables: [...table, ...retries, ""] };
}

function copilotProvider(options: IsolatedEnvOptions): Record<string, string> {
  return {
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${options.serverUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "sk-test-key",
    COPILOT_MODEL: "stub-model",
  };
}

/** Without a provider copilot cannot be told to stay offline: a proxy that nobody answers keeps it on this machine. */
const NO_WAY_OUT = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1,localhost" };

/** copilot unpacks 235 MB into `~/.cache/copilot` of a new home; all homes of this suite share one such folder. */
async function linkWarmCache(home: string): Promise<void> {
  const shared = join(PROGRAMS_DIRECTORY, "node_modules", ".cache", "copilot");
  await mkdir(shared, { recursive: true });
  await mkdir(join(home, ".cache"), { recursive: true });
  await symlink(shared, join(home, ".cache", "copilot"));
}

/**
 * What copilot keeps once a user has answered "always" to everything. The keys of `locations` are working
 * directories; no documentation of this file was found, its shape was measured to work with 1.0.102.
 */
async function writeCopilotSettings(home: string, cwd: string): Promise<void> {
  const approvals = [{ kind: "write" }, { kind: "commands", commandIdentifiers: ["bash", "cat", "cp", "echo", "mkdir", "mv", "node", "python3", "rm", "sh", "tee", "touch"] }];
  await writeJson(join(home, ".copilot", "config.json"), { trustedFolders: ["/"] });
  await writeJson(join(home, ".copilot", "settings.json"), { defaultPermissionMode: "allow-all", allowedUrls: ["*"] });
  await writeJson(join(home, ".copilot", "permissions-config.json"), { locations: { [cwd]: { tool_approvals: approvals, allowed_directories: ["/"] } } });
}

/** Commands that codex's own rules allow run outside its sandbox, whatever the sandbox. */
async function writeCodexRules(home: string): Promise<void> {
  const programs = ["bash", "cp", "echo", "mkdir", "mv", "node", "python3", "rm", "sh", "tee", "touch"];
  await writeText(join(home, ".codex", "rules", "default.rules"), programs.map((program) => `prefix_rule(pattern=["${program}"], decision="allow")\n`).join(""));
}

const DIRECTORIES = ["home", "cwd", "outside", "bin", "tmp"] as const;

/** The folders of one run below `root`. */
export async function makeDirectories(root: string): Promise<Record<(typeof DIRECTORIES)[number], string>> {
  const at = (name: string): string => join(root, name);
  for (const name of DIRECTORIES) await mkdir(at(name));
  return { home: at("home"), cwd: at("cwd"), outside: at("outside"), bin: at("bin"), tmp: at("tmp") };
}

/** A bin folder of this run with node and its backends, so that no other program of the machine is found before them. */
async function linkPrograms(bin: string, backends: readonly BackendId[]): Promise<void> {
  await symlink(process.execPath, join(bin, "node"));
  for (const backend of backends) await symlink(findProgram(backend), join(bin, backend));
}

/** The installed program of a backend; throws with the remedy if it is not there. */
export function findProgram(backend: BackendId): string {
  const program = join(PROGRAMS_DIRECTORY, "node_modules", ".bin", backend);
  if (!existsSync(program)) throw new Error(`${backend} is not installed: run tests/real-backends/install.sh`);
  return program;
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

export async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

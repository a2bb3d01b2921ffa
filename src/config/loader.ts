import { checkConfig } from "./check.js";
import { findHome, type Environment } from "../environment.js";
import { findProjectFile, findUserFile, type FoundFile } from "./find-files.js";
import { isKnownBackend } from "./known-backend.js";
import { printable } from "../printable.js";
import { readConfigFile } from "./read-file.js";
import { CONFIG_KEYS, CONFIG_KEY_NAMES, MERGED_KEYS, variableOf, type Config, type ConfigKey, type MergedKey } from "./schema.js";
import { findUntrustedFolder } from "./trust.js";
import { keepUntrusted, type ConfigWarning } from "./trust-rules.js";

export type { Config } from "./schema.js";
export type { ConfigWarning } from "./trust-rules.js";

export interface LoadConfigOptions {
  /** The run's folder, where the search for the project's file begins. Absent: the current directory. */
  readonly cwd?: string;
  /** The run's environment. Absent: this process's own. */
  readonly env?: Environment;
  /** Tells the ids that an untrusted project may choose. Absent: the real backends that come with jlgcli. */
  readonly isKnownBackend?: (id: string) => boolean | Promise<boolean>;
}

export type ConfigSource = "environment" | "project" | "user" | "default";

/** One layer of the configuration: what of it counts, and where it comes from. */
export interface ConfigLayer {
  readonly source: Exclude<ConfigSource, "default">;
  readonly file: string | null;
  readonly values: Config;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Nearest first: environment, project, user. */
  readonly layers: readonly ConfigLayer[];
  /** What does not count, for the person who runs jlgcli. */
  readonly warnings: readonly ConfigWarning[];
  /** False where the project's file lies in a folder that the user has not trusted; null where there is no such file. */
  readonly projectTrusted: boolean | null;
}

/** One value of the configuration. `env` and `backends` have one entry for each name in them (`env.CI`). */
export interface ConfigEntry {
  readonly key: string;
  /** Undefined where neither a layer nor a default sets the key. */
  readonly value: unknown;
  readonly source: ConfigSource | null;
  readonly file: string | null;
  /** The environment variable that sets the key. */
  readonly variable: string | null;
}

export interface ConfigExplanation extends LoadedConfig {
  readonly entries: readonly ConfigEntry[];
}

/**
 * The configuration of a run: environment over project over user. Defaults are applied where a value is used.
 * @throws JlgcliError `CONFIG_INVALID`
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<Config> {
  return (await loadConfigWithSources(options)).config;
}

/** The configuration with its layers, and with warnings about what does not count. */
export async function loadConfigWithSources(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), env = process.env } = options;
  const home = findHome(env);
  const [userFile, projectFile] = [findUserFile(home), findProjectFile(cwd, home)];
  const environment = await loadEnvironment(env);
  const user = await loadFile("user", userFile);
  const project = await loadProject(projectFile, { env, above: [environment, user], isKnown: options.isKnownBackend ?? isKnownBackend });
  const layers = [environment, project.layer, user].filter((layer) => layer !== null);
  const warnings = [...describePassedOver(projectFile), ...describePassedOver(userFile), ...project.warnings];
  return { config: mergeLayers(layers), layers, warnings, projectTrusted: project.trusted };
}

/** Every key with its value, the default where no layer sets it, and where the value comes from. */
export async function explainConfig(options: LoadConfigOptions = {}): Promise<ConfigExplanation> {
  const loaded = await loadConfigWithSources(options);
  return { ...loaded, entries: CONFIG_KEY_NAMES.flatMap((key) => explainKey(key, loaded)) };
}

/** Empty variables count as not set. */
async function loadEnvironment(env: Environment): Promise<ConfigLayer | null> {
  const values: Record<string, unknown> = {};
  for (const key of CONFIG_KEY_NAMES) {
    const variable = variableOf(key);
    const text = variable === null ? undefined : env[variable];
    if (text !== undefined && text !== "") values[key] = CONFIG_KEYS[key].kind.fromText?.(text);
  }
  if (Object.keys(values).length === 0) return null;
  const checked = await checkConfig(values, { place: "in the environment", nameOf: (key) => variableOf(key) ?? key });
  return { source: "environment", file: null, values: checked };
}

async function loadFile(source: "user" | "project", found: FoundFile | null): Promise<ConfigLayer | null> {
  if (found === null) return null;
  const values = await checkConfig(await readConfigFile(found.path), { place: `in ${printable(found.path)}` });
  return { source, file: found.path, values };
}

interface ProjectContext {
  readonly env: Environment;
  readonly above: readonly (ConfigLayer | null)[];
  readonly isKnown: (id: string) => boolean | Promise<boolean>;
}

interface LoadedProject {
  readonly layer: ConfigLayer | null;
  readonly warnings: readonly ConfigWarning[];
  readonly trusted: boolean | null;
}

async function loadProject(found: FoundFile | null, { env, above, isKnown }: ProjectContext): Promise<LoadedProject> {
  const layer = await loadFile("project", found);
  if (layer === null || found === null) return { layer: null, warnings: [], trusted: null };
  const untrusted = await findUntrustedFolder(found, env);
  if (untrusted === null) return { layer, warnings: [], trusted: true };
  const access = above.map((other) => other?.values.access).find((level) => level !== undefined) ?? CONFIG_KEYS.access.default;
  const context = { file: found.path, folder: untrusted, access: access ?? "read-only", isKnownBackend: isKnown };
  const { kept, warnings } = await keepUntrusted(layer.values, context);
  return { layer: { ...layer, values: kept }, warnings, trusted: false };
}

function describePassedOver(found: FoundFile | null): ConfigWarning[] {
  return (found?.passedOver ?? []).map((file) => ({
    key: null,
    file,
    message: `${printable(file)} is ignored: ${printable(found?.path ?? "")} comes first`,
  }));
}

function mergeLayers(layers: readonly ConfigLayer[]): Config {
  const farthestFirst = layers.map((layer) => layer.values).reverse();
  let merged: Config = {};
  for (const values of farthestFirst) {
    merged = { ...merged, ...values, ...mergeEntries("env", merged, values), ...mergeEntries("backends", merged, values) };
  }
  return merged;
}

function mergeEntries<K extends MergedKey>(key: K, far: Config, near: Config): { [P in K]?: Config[K] } {
  if (far[key] === undefined || near[key] === undefined) return {};
  return { [key]: { ...far[key], ...near[key] } } as { [P in K]?: Config[K] };
}

function explainKey(key: ConfigKey, { config, layers }: LoadedConfig): ConfigEntry[] {
  const value = config[key];
  if (value === undefined) {
    const standard = CONFIG_KEYS[key].default;
    return [{ key, value: standard, source: standard === undefined ? null : "default", file: null, variable: null }];
  }
  const merged = MERGED_KEYS.find((name) => name === key);
  if (merged !== undefined) return explainEntries(merged, layers);
  return [{ key, value, ...originOf(key, layers.find((layer) => layer.values[key] !== undefined)) }];
}

function explainEntries(key: MergedKey, layers: readonly ConfigLayer[]): ConfigEntry[] {
  const names = new Set(layers.flatMap((layer) => Object.keys(layer.values[key] ?? {})));
  return [...names].sort().map((name) => {
    const nearest = layers.find((layer) => Object.hasOwn(layer.values[key] ?? {}, name));
    return { key: `${key}.${name}`, value: nearest?.values[key]?.[name], ...originOf(key, nearest) };
  });
}

function originOf(key: ConfigKey, layer: ConfigLayer | undefined): Pick<ConfigEntry, "source" | "file" | "variable"> {
  const source = layer?.source ?? null;
  return { source, file: layer?.file ?? null, variable: source === "environment" ? variableOf(key) : null };
}

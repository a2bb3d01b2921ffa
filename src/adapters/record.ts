import type { AccessLevel } from "../events/schema.js";
import type { McpServerConfig } from "./types.js";
import type { EnvTraits, ExecutorTraits } from "./traits.js";

/** All that is known about one backend, as data. Every field can stand in a JSON file. */
export interface BackendRecord {
  /** The same as `traits.executorId`. */
  readonly id: string;
  readonly displayName: string;
  /** `simulated`: no model is asked. Absent: `real`. */
  readonly kind?: "real" | "simulated";
  readonly homepage?: string;
  readonly traits: ExecutorTraits;
  readonly options?: OptionTraits;
  readonly availability?: AvailabilityTraits;
  readonly unaskedService?: UnaskedServiceTraits;
}

/**
 * A service that the backend turns to by itself where the user has set up nothing. The prompt must not go there unasked,
 * so it is shut off, unless one of these says that the user has asked for it.
 */
export interface UnaskedServiceTraits {
  /** What shuts it off. */
  readonly env: EnvTraits;
  readonly unless: {
    /** A regular expression (flag `u`) on the model of the run. */
    readonly model?: string;
    /** Variables that are set and not empty. */
    readonly env?: readonly string[];
    /** Files (`~/…` or `$VAR/…`) that match a regular expression (flag `u`). */
    readonly files?: readonly { readonly file: string; readonly matches: string }[];
  };
}

/** How the options of a run become arguments. An option that stands not here is refused for this backend. */
export interface OptionTraits {
  readonly model?: ModelOptionArgs;
  readonly effort?: OptionArgs;
  readonly systemPrompt?: OptionArgs;
  readonly appendSystemPrompt?: OptionArgs;
  readonly resume?: OptionArgs;
  /** Absent: a schema is asked for in the prompt. */
  readonly schema?: SchemaArgs;
  /** Absent: attachments are refused. */
  readonly attach?: AttachArgs;
  /** How MCP servers that the caller of a run names are handed on. Absent: they are not, and a warning says so. */
  readonly mcpServers?: McpServerArgs;
  /** How tools that a run forbids are taken away. Absent: a run that forbids some is refused. */
  readonly disallowTools?: DisallowToolsArgs;
  /** A level that stands not here is refused: never weakened to another. */
  readonly access?: Partial<Readonly<Record<AccessLevel, AccessTraits>>>;
  /**
   * Arguments that `--backend-arg` must not repeat, beside the flags that this record itself sends:
   * other spellings, and flags that would change the prompt, the output or the access level.
   * An entry `-c sandbox_mode` means the flag `-c` with a value that begins with `sandbox_mode`.
   */
  readonly reservedArgs?: readonly string[];
  /** Flags that may be given more than once, so that only their reserved values collide (for instance `-c`). */
  readonly repeatableArgs?: readonly string[];
}

export interface OptionArgs {
  /** `{value}` is replaced by the option's value; `{json}` by the value as a JSON string. */
  readonly args: readonly string[];
  /** The only values that the backend takes. */
  readonly values?: readonly string[];
}

export interface ModelOptionArgs extends OptionArgs {
  /**
   * Names that stand for a model of another name: alias -> a regular expression (flags `iu`) on the name that answers.
   * Names that differ in a date, a provider or a suffix in brackets alone are one model anyway.
   */
  readonly aliases?: Readonly<Record<string, string>>;
}

export interface SchemaArgs {
  /** `{value}` is replaced by the schema as JSON, `{file}` by the path of a private file that holds it. */
  readonly args: readonly string[];
  /** The service takes only schemas whose objects name all their properties, require each and allow no other. Any other is asked for in the prompt. */
  readonly strictOnly?: boolean;
}

export interface AttachArgs {
  /** For each attachment; `{value}` is replaced by its absolute path. */
  readonly args: readonly string[];
  /** The only kinds of files that the backend takes, as the ends of their names (`.png`). Absent: any. */
  readonly extensions?: readonly string[];
  /** A character that no path may have, since the backend reads a list there. */
  readonly separator?: string;
}

/** One of the two: all servers as one JSON object, or arguments for each. At no level but `full` are there any. */
export interface McpServerArgs {
  /**
   * Once: `{json}` is replaced by `{"mcpServers":{NAME:{type,command,args,env}}}` (or `{type,url,headers}`), `{file}` by
   * the path of a private file that holds it. Arguments can be seen by every user of a machine, so a file is better.
   */
  readonly args?: readonly string[];
  /**
   * For each server, by its transport. `{name}` is put in as it is; `{command}`, `{args}`, `{env}`, or `{url}` and
   * `{headers}`, as a TOML value. A transport that stands not here is one that the backend does not take.
   */
  readonly each: Readonly<Partial<Record<McpServerConfig["type"], readonly string[]>>>;
  /** A regular expression (flag `u`) on what may not stand in a name; it becomes `_`. */
  readonly otherInNames?: string;
  /** What stands for a dollar sign in the JSON, for a backend that puts variables in. */
  readonly dollar?: string;
  /** Variables that go with the servers. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface DisallowToolsArgs {
  /** For each tool; `{value}` is replaced by its name. They must hold at every level, and never allow anything. */
  readonly args: readonly string[];
  /** A regular expression (flag `u`) on the names that are known to have an effect. A warning tells of any other. */
  readonly known?: string;
}

export interface AccessTraits {
  /** `{file}` is the path of `file`. */
  readonly args: readonly string[];
  /** A file that a flag of the level names; it lies in a private folder while the backend runs. */
  readonly file?: { readonly name: string; readonly content: string };
  /**
   * The level is refused where one of these files (`~/…`, `$VAR/…`, or `./…` in the working directory) matches a
   * regular expression: it could not be enforced.
   */
  readonly refuseIf?: { readonly files: readonly string[]; readonly matches: string; readonly because: string };
  readonly env?: EnvTraits;
}

export interface AvailabilityTraits {
  /** Absent: every platform. */
  readonly platforms?: readonly string[];
  /** The command that installs the backend, shown to people. */
  readonly install?: string;
  /** The command that signs in, shown to people. */
  readonly login?: string;
  /** Signs of a login that cost nothing to look at. Any one of them is enough. */
  readonly evidence?: {
    /** Variables that are set and not empty. */
    readonly env?: readonly string[];
    /** Files that exist: `~/…` or `$VAR/…`. */
    readonly files?: readonly string[];
  };
  /** A command that is authoritative about the login when there is no evidence at all. */
  readonly statusCommand?: { readonly args: readonly string[]; readonly loggedOutExitCode: number };
  readonly version?: {
    readonly args: readonly string[];
    /** A regular expression whose first group is the version. */
    readonly pattern: string;
    /** Lowest and (exclusive) highest version that was tested. */
    readonly testedFrom: string;
    readonly testedBelow: string;
  };
}

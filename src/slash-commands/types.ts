/**
 * The words of the slash-command system. Names and values follow the design that several command lines share,
 * so that a command written against one of them reads the same here.
 */
import type { RunStatus } from "../exit-codes.js";
import type { SlashCommandConfig, SlashCommandSettings } from "./config.js";

/** Where a command is called from. `interactive` has a screen; the others only exchange text. */
export const EXECUTION_MODES = ["interactive", "non_interactive", "acp"] as const;
export type ExecutionMode = (typeof EXECUTION_MODES)[number];

/**
 * Where a command comes from. Loaders set it, commands never do.
 * Reserved for later: workflow-command, plugin-skill, dynamic-skill, builtin-plugin-skill, mcp-skill.
 */
export type CommandSource = "builtin-command" | "bundled-skill" | "skill-dir-command" | "plugin-command" | "mcp-prompt";

/** What a command does: gives a prompt to the model, answers from here, or draws on the screen. */
export type CommandType = "prompt" | "local" | "local-jsx";

/** What a command is made of. */
export const CommandKind = {
  BUILT_IN: "built-in",
  FILE: "file",
  SKILL: "skill",
  MCP_PROMPT: "mcp-prompt",
} as const;
export type CommandKind = (typeof CommandKind)[keyof typeof CommandKind];

/** Who a command belongs to: its rank where names clash, and the prefix under which a loser stays reachable. */
export const COMMAND_SCOPES = ["builtin", "project", "user", "extension", "bundled", "mcp"] as const;
export type CommandScope = (typeof COMMAND_SCOPES)[number];

export interface SlashCommand {
  /** Without the slash. Case-sensitive, in Unicode NFC; levels of a folder are joined with `:`. */
  readonly name: string;
  readonly altNames?: readonly string[];
  readonly description: string;
  /** Not listed anywhere, but still callable. */
  readonly hidden?: boolean;
  /** Higher comes first in completion. */
  readonly completionPriority?: number;
  readonly kind: CommandKind;
  /** The extension or plugin that brought it. */
  readonly extensionName?: string;
  readonly action?: CommandAction;
  readonly completion?: (context: CommandContext, partialArgs: string) => Promise<readonly string[]>;
  readonly subCommands?: readonly SlashCommand[];
  readonly source?: CommandSource;
  /** For people: `Built-in`, `Skill`, `Custom`, `Plugin: <name>`, `MCP: <server>`. A command may override its loader's label. */
  readonly sourceLabel?: string;
  /** Absent: see `getEffectiveCommandType`. */
  readonly commandType?: CommandType;
  /** Where it works. Authoritative when present: an empty list is nowhere. Absent: see `getEffectiveSupportedModes`. */
  readonly supportedModes?: readonly ExecutionMode[];
  /** Whether a person may type it. Absent: true. */
  readonly userInvocable?: boolean;
  /** Whether a model may call it. Absent: false. */
  readonly modelInvocable?: boolean;
  /** For instance `[file] [focus]`. */
  readonly argumentHint?: string;
  readonly whenToUse?: string;
  readonly examples?: readonly string[];

  /** Absent: told from kind, source and extension. */
  readonly scope?: CommandScope;
  /** Names that always lead to this command, whoever holds the plain name. */
  readonly qualifiedNames?: readonly string[];
  /** The text that is expanded, and the file it stands in. */
  readonly template?: CommandTemplate;
  /** Arguments by name, where the command declares them. */
  readonly arguments?: readonly CommandArgument[];
}

export interface CommandArgument {
  readonly name: string;
  readonly description: string | null;
  readonly required: boolean;
}

export const DIALECT_IDS = ["jlgcli", "claude", "codex", "gemini", "qwen", "vscode", "copilot", "agents"] as const;
/** Whose rules a file is written for. */
export type DialectId = (typeof DIALECT_IDS)[number];

/** A prompt as it lies on disk, before its arguments are put in. */
export interface CommandTemplate {
  readonly dialect: DialectId;
  /** `skill`: the text of a SKILL.md. */
  readonly form: "markdown" | "toml" | "skill";
  readonly filePath: string;
  /** The text without its front matter. */
  readonly text: string;
  /** Names of positional arguments (`arguments` in a front matter). */
  readonly argumentNames: readonly string[];
  /** Tools that the file asks to be allowed; null where it says nothing. */
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  readonly model: string | null;
  /** The shell its blocks are written for, where the file names one. */
  readonly shell: string | null;
  /** The folder of a plugin or extension. */
  readonly extensionPath: string | null;
  /** False: the file lies in a project that the user has not trusted. It may then run nothing and be granted nothing. */
  readonly trusted: boolean;
}

export interface CommandInvocation {
  /** The whole text as it was typed. */
  readonly raw: string;
  /** The name under which the command was found. */
  readonly name: string;
  /** All that follows the name, verbatim: new lines and double blanks are kept. */
  readonly args: string;
}

/** What an action gets to work with. */
export interface CommandContext {
  readonly executionMode: ExecutionMode;
  readonly invocation: CommandInvocation;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly abortSignal: AbortSignal;
  /** Every command that this mode offers, for actions that list them. */
  readonly listCommands: () => Promise<readonly SlashCommand[]>;
}

export type CommandAction = (context: CommandContext, args: string) => Promise<CommandActionResult | undefined> | CommandActionResult | undefined;

export interface SubmitPrompt {
  readonly type: "submit_prompt";
  /** Plain text for whichever backend runs; nothing in it is to be expanded again. */
  readonly prompt: string;
  /** Tools that the command asks to be allowed; null where it says nothing. */
  readonly allowedTools: readonly string[] | null;
  /** Tools that the command forbids, in the words of the dialect it is written in; null where it says nothing. */
  readonly disallowedTools: readonly string[] | null;
  /** The model that the command asks for, in the words of the dialect it is written in; null where it says nothing. */
  readonly model: string | null;
  /** Sentences for stderr: what was left out, withheld or shadowed. */
  readonly notices: readonly string[];
}

export interface CommandMessage {
  readonly messageType: "info" | "error";
  readonly content: string;
}

export type CommandActionResult =
  | SubmitPrompt
  | ({ readonly type: "message" } & CommandMessage)
  | { readonly type: "stream_messages"; readonly messages: AsyncIterable<CommandMessage> }
  | InteractiveResult;

export const DIALOGS = ["model", "backend", "access", "sessions", "usage", "help"] as const;
/** A dialog that the interactive mode can open. */
export type DialogId = (typeof DIALOGS)[number];

/** Only an interactive caller can do these: open a dialog, begin a new conversation, leave. */
export type InteractiveResult = { readonly type: "dialog"; readonly dialog: DialogId } | { readonly type: "clear" } | { readonly type: "quit" };

/** Which command answered. */
export interface AnsweringCommand {
  readonly name: string;
  readonly kind: CommandKind;
  readonly source: CommandSource | null;
  readonly sourceLabel: string | null;
  readonly dialect: DialectId | null;
  readonly filePath: string | null;
}

/** The answer of `handleSlashCommand`. */
export type SlashCommandAnswer =
  /** The text is no command: it is the prompt. */
  | { readonly type: "no_command" }
  | {
      readonly type: "unknown";
      readonly name: string;
      /** Full names without the slash, best first. */
      readonly suggestions: readonly string[];
      readonly message: string;
      readonly hint: string;
    }
  | {
      readonly type: "unsupported";
      readonly name: string;
      readonly mode: ExecutionMode;
      readonly supportedModes: readonly ExecutionMode[];
      readonly message: string;
    }
  | { readonly type: "disabled"; readonly name: string; readonly message: string }
  | (SubmitPrompt & { readonly command: AnsweringCommand })
  | ({ readonly type: "message"; readonly command: AnsweringCommand } & CommandMessage)
  | { readonly type: "stream_messages"; readonly command: AnsweringCommand; readonly messages: AsyncIterable<CommandMessage> }
  /** In the interactive mode alone. */
  | (InteractiveResult & { readonly command: AnsweringCommand })
  | {
      readonly type: "error";
      readonly name: string;
      /** Decides the exit code. */
      readonly status: RunStatus;
      readonly message: string;
      readonly hint?: string;
    };

/** Something that could not be loaded, or only in part. */
export interface CommandProblem {
  /** `error`: the command is not there. `warning`: it is, but not as its file says. */
  readonly severity: "error" | "warning";
  /** A file, a folder or a server's name. */
  readonly path: string;
  /** From 1; null where no line can be named. */
  readonly line: number | null;
  readonly reason: string;
  /** The name that the command would have had. */
  readonly commandName: string | null;
  /** The MCP server that it is about. */
  readonly mcpServer?: string;
}

/** One name that two commands want. */
export interface CommandShadowing {
  readonly name: string;
  readonly winner: SlashCommand;
  readonly loser: SlashCommand;
  /** The name that leads to the loser now. */
  readonly reachableAs: string;
}

/** Where commands come from. One that rejects never hides the others. */
export interface CommandLoader {
  /** For people, in a problem's path. */
  readonly label?: string;
  loadCommands(signal: AbortSignal): Promise<readonly SlashCommand[]>;
  /** What went wrong in the last load without making it fail. */
  problems?(): readonly CommandProblem[];
}

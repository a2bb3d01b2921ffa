import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chooseView } from "../chat/choose-view.js";
import { createChatController, type OpenedChat } from "../chat/controller.js";
import { chatHistoryFileOf, createInputHistory } from "../chat/history.js";
import { createFileLister } from "../chat/list-files.js";
import type { ChatProgram } from "../chat/types.js";
import type { CommandIo, TerminalStreams } from "../command-io.js";
import { findHome } from "../environment.js";
import type { Conversation, ConversationHost, ConversationSummary } from "../conversation/types.js";
import { JlgcliError } from "../errors.js";
import { SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { findPackageFile } from "../package-file.js";
import { printable } from "../printable.js";
import { wantsColor } from "../render/style.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { createConversationHost, type ConversationFlags } from "./conversation-host.js";
import { endEarlierRuns } from "./run.js";
import { TERMINAL_COLUMNS, toTable } from "./table.js";
import { tildePath } from "./tilde-path.js";

/** The flags of `jlgcli chat`, as commander gives them. */
export interface ChatFlags extends ConversationFlags {
  readonly cwd?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly plain?: boolean;
  readonly screenReader?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly forget?: string;
}

/**
 * `jlgcli chat`: a conversation at the keyboard, or with the lines of a pipe. Gives the exit code.
 * @throws JlgcliError `USAGE_INVALID`, `INPUT_NOT_FOUND` for a conversation or a directory that is not there, and as
 * `ConversationHost.create` does
 */
export async function runChatCommand(words: readonly string[], flags: ChatFlags, io: CommandIo): Promise<number> {
  refuseContradictions(words, flags);
  const aside = createAside(io);
  const host = createConversationHost(flags, aside.io, "all");
  if (flags.list === true) return showConversations(host, flags, io);
  if (flags.forget !== undefined) return forgetConversation(host, flags.forget, io);
  const streams = io.terminal?.();
  if (streams === undefined) throw new JlgcliError("USAGE_INVALID", "a chat needs a terminal or a pipe", { hint: "start it with the program itself: jlgcli chat" });
  await endEarlierRuns({}, io);
  const redactor = createLazyRedactor(io.env);
  const controller = createChatController({ host, conversation: await openConversation(host, flags, io), redactor });
  aside.pointTo(controller);
  const history = createInputHistory(chatHistoryFileOf(findHome(io.env)), { redactor });
  const program: ChatProgram = {
    host,
    controller,
    history,
    listFiles: createFileLister({
      cwd: () => controller.state().conversation.cwd,
      loadSpawner: async () => (await import("../process/spawner.js")).createProcessSpawner({ env: io.env }),
    }),
    env: io.env,
    color: wantsColor(io.stdoutIsTty, io.env),
    screenReader: flags.screenReader === true,
    signal: io.signal ?? new AbortController().signal,
    firstPrompt: words.length === 0 ? null : words.join(" "),
  };
  try {
    const runView = await loadView(flags, program, streams);
    return await runView(program, streams);
  } finally {
    await history.settled();
    await io.drained?.();
  }
}

function refuseContradictions(words: readonly string[], { resume, continue: goesOn, cwd, list, forget, json }: ChatFlags): void {
  const hint = "see jlgcli chat --help";
  if (resume !== undefined && goesOn === true) throw new JlgcliError("USAGE_INVALID", "--continue and --resume exclude each other", { hint: "--continue takes the conversation that was used last here" });
  if (resume !== undefined && cwd !== undefined) throw new JlgcliError("USAGE_INVALID", "--cwd and --resume exclude each other", { hint: "a conversation goes on in its own directory" });
  if (list === true && forget !== undefined) throw new JlgcliError("USAGE_INVALID", "--list and --forget exclude each other", { hint });
  if (json === true && list !== true) throw new JlgcliError("USAGE_INVALID", "--json goes with --list alone", { hint: "for one answer as JSON: jlgcli run --json" });
  if ((list === true || forget !== undefined) && words.length > 0) throw new JlgcliError("USAGE_INVALID", `${list === true ? "--list" : "--forget"} takes no prompt, got ${JSON.stringify(words.join(" "))}`, { hint });
}

/** What the program has to say goes to stderr until a chat can show it: a view has the terminal to itself. */
function createAside(io: CommandIo): { readonly io: CommandIo; pointTo(chat: OpenedChat): void } {
  let chat: OpenedChat | null = null;
  const stderr = (text: string): void => (chat === null ? io.stderr(text) : chat.notify("warning", text.replace(/^jlgcli: /, "").trimEnd()));
  return { io: { ...io, stderr }, pointTo: (opened) => void (chat = opened) };
}

async function openConversation(host: ConversationHost, flags: ChatFlags, io: CommandIo): Promise<Conversation> {
  if (flags.resume !== undefined) return host.load(toFullId(host, flags.resume));
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw new JlgcliError("INPUT_NOT_FOUND", `--cwd: there is no directory ${printable(cwd)}`);
  if (flags.continue !== true) return host.create({ cwd });
  const [newest] = host.list(cwd);
  if (newest === undefined) throw new JlgcliError("INPUT_NOT_FOUND", `no conversation is kept of ${printable(cwd)}`, { hint: "`jlgcli chat --list` shows those of all directories" });
  return host.load(newest.id);
}

type View = (program: ChatProgram, streams: TerminalStreams) => Promise<number>;

async function loadView({ plain = false, screenReader = false }: ChatFlags, { env }: ChatProgram, { stdin, stdout }: TerminalStreams): Promise<View> {
  const view = chooseView({ stdinIsTty: stdin.isTTY === true, stdoutIsTty: stdout.isTTY === true, env, plain, screenReader });
  return view === "screen" ? loadScreen() : (await import("../chat/plain/line-mode.js")).runLineMode;
}

async function loadScreen(): Promise<View> {
  const path = findPackageFile("package.json").replace(/package\.json$/, "dist/chat-ui.mjs");
  // A file of the built package: neither a compiler nor a bundler may follow this.
  const url: string = pathToFileURL(path).href;
  const loaded: unknown = existsSync(path) ? await import(url) : null;
  if (typeof loaded === "object" && loaded !== null && "runScreen" in loaded && typeof loaded.runScreen === "function") return loaded.runScreen as View;
  throw new JlgcliError("INTERNAL", `${path} has no screen`, { hint: "Install jlgcli again; in a clone of its repository run `npm run build`." });
}

// --- the conversations that are kept ---

function showConversations(host: ConversationHost, { json = false, cwd }: ChatFlags, io: CommandIo): number {
  const kept = host.list(cwd === undefined ? undefined : resolve(io.cwd, cwd));
  if (json) io.stdout(`${JSON.stringify(kept, null, 2)}\n`);
  else if (kept.length === 0) io.stderr(`jlgcli: ${describeNothingKept(host, cwd)}\n`);
  else io.stdout(`${toTable(["used (UTC)", "id", "title", "directory"], kept.map((each) => toRow(each, io)), io.stdoutIsTty ? Math.max(TERMINAL_COLUMNS, 160) : null).join("\n")}\n`);
  return SUCCESS_EXIT_CODE;
}

function describeNothingKept(host: ConversationHost, cwd: string | undefined): string {
  if (cwd === undefined || host.list().length === 0) return "no conversation is kept yet: `jlgcli chat` begins one";
  return `no conversation is kept of ${printable(cwd)}: \`jlgcli chat --list\` shows those of all directories`;
}

function toRow({ usedAt, id, title, cwd }: ConversationSummary, io: CommandIo): readonly string[] {
  return [usedAt.slice(0, 16).replace("T", " "), id, title, tildePath(cwd, findHome(io.env))].map(printable);
}

function forgetConversation(host: ConversationHost, given: string, io: CommandIo): number {
  if (!host.forget(toFullId(host, given))) throw new JlgcliError("INPUT_NOT_FOUND", `no conversation has the id ${JSON.stringify(given)}`, { hint: "`jlgcli chat --list` shows those that are kept" });
  io.stderr("jlgcli: 1 conversation is forgotten; what its backends have kept of it is theirs\n");
  return SUCCESS_EXIT_CODE;
}

/**
 * The id that begins so; what is given where none does.
 * @throws JlgcliError `USAGE_INVALID` where several do
 */
function toFullId(host: ConversationHost, given: string): string {
  const ids = host.list().map(({ id }) => id);
  if (given === "" || ids.includes(given)) return given;
  const [id = given, ...others] = ids.filter((each) => each.startsWith(given));
  if (others.length === 0) return id;
  throw new JlgcliError("USAGE_INVALID", `${others.length + 1} conversations begin with ${JSON.stringify(given)}: ${[id, ...others].join(", ")}`, { hint: "give more of the id" });
}

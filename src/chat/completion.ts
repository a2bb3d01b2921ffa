import { toSafeText } from "../render/safe-text.js";
import type { SlashCommand } from "../slash-commands/types.js";
import type { Completion, EditorState } from "./types.js";

export interface CompletionSources {
  readonly commands: readonly SlashCommand[];
  /** Paths of files relative to the working directory, with `/` between their parts. Only asked for where a `@` stands. */
  readonly listFiles: () => Promise<readonly string[]>;
}

/** More would not be read. */
const MAX_COMMANDS = 100;
const MAX_FILES = 50;

/**
 * What may be meant at the cursor, best first: the commands after a `/` that begins the text, the files and folders of
 * the working directory after a `@` that begins a word. Choosing a file puts its path in the place of the `@…`, as
 * words, so that what is sent is what is seen.
 */
export async function findCompletions(editor: EditorState, sources: CompletionSources): Promise<readonly Completion[]> {
  const command = findCommandWord(editor);
  if (command !== null) return completeCommands(command, sources.commands);
  const sub = findSubCommandWord(editor, sources.commands);
  if (sub !== null) return completeCommands(sub.word, sub.commands, "");
  const file = findFileWord(editor);
  return file === null ? [] : completeFiles(file, await sources.listFiles());
}

/** What was typed of a word, and where the whole word stands. */
interface TypedWord {
  readonly typed: string;
  readonly from: number;
  readonly to: number;
  /** Something blank follows it already. */
  readonly isFollowed: boolean;
}

function toWord(text: string, from: number, cursor: number, typed: string): TypedWord {
  const rest = /^\S*/u.exec(text.slice(cursor))?.[0] ?? "";
  const to = cursor + rest.length;
  return { typed, from, to, isFollowed: to < text.length };
}

function findCommandWord({ text, cursor }: EditorState): TypedWord | null {
  const match = /^(\s*)\/([^\s/]*)$/u.exec(text.slice(0, cursor));
  return match === null ? null : toWord(text, match[1]?.length ?? 0, cursor, match[2] ?? "");
}

function findSubCommandWord({ text, cursor }: EditorState, commands: readonly SlashCommand[]): { readonly word: TypedWord; readonly commands: readonly SlashCommand[] } | null {
  const match = /^(\s*\/([^\s/]+)\s+)([^\s@]*)$/u.exec(text.slice(0, cursor));
  const parent = commands.find(({ name, altNames = [] }) => name === match?.[2] || altNames.includes(match?.[2] ?? ""));
  if (match === null || parent?.subCommands === undefined) return null;
  return { word: toWord(text, match[1]?.length ?? 0, cursor, match[3] ?? ""), commands: parent.subCommands };
}

/** `@path`, or `@"a path` with blanks. An address such as `me@example.org` is none. */
function findFileWord({ text, cursor }: EditorState): TypedWord | null {
  const match = /(^|\s)@(?:"([^"\n]*)|([^\s"]*))$/u.exec(text.slice(0, cursor));
  if (match === null) return null;
  return toWord(text, match.index + (match[1]?.length ?? 0), cursor, match[2] ?? match[3] ?? "");
}

// --- commands ---

interface Ranked<T> {
  readonly value: T;
  /** Lower is better. */
  readonly rank: number;
}

function completeCommands(word: TypedWord, commands: readonly SlashCommand[], sign = "/"): readonly Completion[] {
  const found = commands
    .filter(({ hidden, userInvocable }) => hidden !== true && userInvocable !== false)
    .flatMap((command): readonly Ranked<SlashCommand>[] => {
      const rank = rankCommand(command, word.typed);
      return rank === null ? [] : [{ value: command, rank }];
    })
    .sort((one, other) => one.rank - other.rank || priorityOf(other.value) - priorityOf(one.value) || compare(one.value.name, other.value.name));
  return groupBySource(found.slice(0, MAX_COMMANDS).map(({ value }) => value)).map((command) => ({
    label: `${sign}${command.name}`,
    hint: [command.argumentHint ?? "", command.description].map(toOneLine).filter((part) => part !== "").join("  "),
    group: groupOf(command),
    from: word.from,
    to: word.to,
    text: `${sign}${command.name}${word.isFollowed ? "" : " "}`,
  }));
}

function toOneLine(text: string): string {
  return toSafeText(text).replaceAll(/\s+/g, " ").trim();
}

function priorityOf({ completionPriority = 0 }: SlashCommand): number {
  return completionPriority;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The name, then the other names, then the part of the name after its folders, then letters in this order. */
function rankCommand({ name, altNames = [] }: SlashCommand, typed: string): number | null {
  const [wanted, lowered] = [typed.toLowerCase(), name.toLowerCase()];
  if (lowered.startsWith(wanted)) return 0;
  if (altNames.some((altName) => altName.toLowerCase().startsWith(wanted))) return 1;
  if (lowered.slice(lowered.lastIndexOf(":") + 1).startsWith(wanted)) return 2;
  return [lowered, ...altNames.map((altName) => altName.toLowerCase())].some((each) => hasInOrder(each, wanted)) ? 3 : null;
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Each source stands together, that of the best command first. */
function groupBySource(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const groups = new Map<string, SlashCommand[]>();
  for (const command of commands) groups.set(groupOf(command), [...(groups.get(groupOf(command)) ?? []), command]);
  return [...groups.values()].flat();
}

function groupOf({ sourceLabel, kind }: SlashCommand): string {
  return toSafeText(sourceLabel ?? kind);
}

// --- files ---

function completeFiles(word: TypedWord, files: readonly string[]): readonly Completion[] {
  const typed = word.typed.replace(/^\.\//u, "").toLowerCase();
  const found = withFolders(files)
    // A name that steers a terminal is not offered: its safe form would name another file.
    .filter((path) => toSafeText(path) === path && !/["\n]/u.test(path))
    .flatMap((path): readonly Ranked<string>[] => {
      const rank = rankPath(path.toLowerCase(), typed);
      return rank === null ? [] : [{ value: path, rank }];
    });
  const byLength = typed === "" ? 0 : 1;
  found.sort((one, other) => one.rank - other.rank || (one.value.length - other.value.length) * byLength || compare(one.value, other.value));
  return found.slice(0, MAX_FILES).map(({ value }) => ({
    label: value,
    hint: "",
    group: "Files",
    from: word.from,
    to: word.to,
    text: `${/\s/u.test(value) ? `"${value}"` : value}${word.isFollowed ? "" : " "}`,
  }));
}

/** A folder ends with a slash. */
function withFolders(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const folder = file.slice(0, end + 1);
    if (folders.has(folder)) break;
    folders.add(folder);
  }
  return [...folders, ...files];
}

function rankPath(path: string, typed: string): number | null {
  // Without a word there is nothing to rank by but depth: what lies at the top comes first.
  if (typed === "") return path.slice(0, -1).split("/").length;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  if (path.startsWith(typed)) return 0;
  if (name.startsWith(typed)) return 1;
  if (name.includes(typed)) return 2;
  if (path.includes(typed)) return 3;
  return hasInOrder(path, typed) ? 4 : null;
}

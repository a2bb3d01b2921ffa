import { splitBlocks } from "../../render/markdown.js";
import type { AnswerItem, ChatItem } from "../types.js";
import { expandTabs, isApart, toItemLines, type Look } from "./item-lines.js";
import { wrapText } from "./text-width.js";

/** Some lines that are printed once and then belong to the terminal. */
export interface Printed {
  readonly key: number;
  readonly lines: readonly string[];
}

export interface FeedView {
  /** Another array whenever it has grown. */
  readonly printed: readonly Printed[];
  /** The lines of all that may still change. */
  readonly live: readonly string[];
  /** There is more to print than one update takes: ask again soon. */
  readonly hasMore: boolean;
}

/** A piece to print is at most so long: a kept conversation of thousands of items must not stop the keyboard. */
const LINES_PER_PIECE = 100;
const LINES_PER_UPDATE = 400;
/** Of the unfinished end of an answer, Markdown is read up to so many characters; beyond it stands as it came. */
const MAX_LIVE_MARKDOWN = 6000;
/** An unfinished block beyond that is looked at again only when it has grown by this part. */
const GROWTH_TO_LOOK_AGAIN = 1.25;

/**
 * Sorts the transcript into what can be printed for good and what may still change. Of an answer that is still coming,
 * the blocks that are whole are printed; each is parsed once.
 */
export class TranscriptFeed {
  #printed: readonly Printed[] = [];
  #nextKey = 0;
  /** Items up to this one are printed, or wait in the queue. */
  #printedId = 0;
  #lastType: ChatItem["type"] | null = null;
  /** How much of the item after these is printed. */
  #begun: { readonly id: number; readonly text: string } | null = null;
  #lookedAtLength = 0;
  #queue: string[] = [];
  /** So many lines at the beginning of the next item were scrolled away long ago. */
  #surplus = 0;

  update(items: readonly ChatItem[], look: Look): FeedView {
    let index = findFirstAfter(items, this.#printedId);
    for (let item = items[index]; item?.done === true && this.#queue.length < LINES_PER_UPDATE; item = items[++index]) this.#finish(item, look);
    const isBehind = items[index]?.done === true || this.#queue.length > LINES_PER_UPDATE;
    const live = isBehind ? [] : this.#toLive(items.slice(index), look);
    this.#print();
    return { printed: this.#printed, live, hasMore: isBehind || this.#queue.length > 0 };
  }

  /** Forgets what was printed, so that the end of the transcript, about so many lines of it, is printed again. */
  reprint(items: readonly ChatItem[], lineCount: number, look: Look): void {
    let index = findFirstAfter(items, this.#printedId);
    let count = 0;
    while (index > 0 && count < lineCount) {
      index -= 1;
      const item = items[index];
      if (item !== undefined) count += toItemLines(item, look).length + 1;
    }
    // One long answer must not be printed whole for each change of the window.
    this.#surplus = Math.max(0, count - lineCount);
    const first = items[index];
    if (first !== undefined) this.#printedId = first.id - 1;
    this.#printed = [];
    this.#begun = null;
    this.#lookedAtLength = 0;
    this.#lastType = null;
    this.#queue = [];
  }

  #finish(item: ChatItem, look: Look): void {
    const begun = this.#begunOf(item);
    if (item.type === "answer" && begun !== "") this.#printMore({ ...item, text: item.text.slice(begun.length) }, look);
    else this.#printFirst(item, look);
    this.#printedId = item.id;
    this.#begun = null;
    this.#lookedAtLength = 0;
  }

  /** What of an answer is printed already. One that has changed in it comes whole again. */
  #begunOf(item: ChatItem): string {
    const begun = this.#begun;
    return item.type === "answer" && begun?.id === item.id && item.text.startsWith(begun.text) ? begun.text : "";
  }

  #printFirst(item: ChatItem, look: Look): void {
    if (isApart(this.#lastType, item.type)) this.#queue.push("");
    this.#lastType = item.type;
    this.#enqueue(toItemLines(item, look).slice(this.#surplus));
    this.#surplus = 0;
  }

  #printMore(item: AnswerItem, look: Look): void {
    if (item.text.trim() === "") return;
    this.#queue.push("");
    this.#enqueue(toItemLines(item, look));
  }

  #enqueue(lines: readonly string[]): void {
    for (const line of lines) this.#queue.push(line);
  }

  #print(): void {
    const lines = this.#queue.splice(0, LINES_PER_UPDATE);
    const pieces: Printed[] = [];
    for (let at = 0; at < lines.length; at += LINES_PER_PIECE) pieces.push({ key: this.#nextKey++, lines: lines.slice(at, at + LINES_PER_PIECE) });
    if (pieces.length > 0) this.#printed = [...this.#printed, ...pieces];
  }

  // --- what is not done ---

  #toLive([first, ...others]: readonly ChatItem[], look: Look): readonly string[] {
    if (first === undefined) return [];
    const rest = first.type === "answer" ? { ...first, text: this.#printWholeBlocks(first, look) } : first;
    const isBegun = this.#begunOf(first) !== "";
    const live = [...(isBegun || isApart(this.#lastType, first.type) ? [""] : []), ...toLiveLines(rest, look)];
    let type = first.type;
    for (const item of others) {
      if (isApart(type, item.type)) live.push("");
      live.push(...toLiveLines(item, look));
      type = item.type;
    }
    return live;
  }

  /** Gives what is left: the block that may still grow. */
  #printWholeBlocks(item: AnswerItem, look: Look): string {
    const begun = this.#begunOf(item);
    const rest = item.text.slice(begun.length);
    if (rest.length > MAX_LIVE_MARKDOWN && rest.length < this.#lookedAtLength * GROWTH_TO_LOOK_AGAIN) return rest;
    const { whole } = splitBlocks(rest);
    this.#lookedAtLength = rest.length - whole.length;
    if (whole.trim() === "") return rest;
    const blocks = { ...item, text: whole };
    if (begun === "") this.#printFirst(blocks, look);
    else this.#printMore(blocks, look);
    this.#begun = { id: item.id, text: begun + whole };
    return rest.slice(whole.length);
  }
}

function toLiveLines(item: ChatItem, look: Look): readonly string[] {
  if (item.type !== "answer" || item.text.length <= MAX_LIVE_MARKDOWN) return toItemLines(item, look);
  return wrapText(expandTabs(item.text.slice(-MAX_LIVE_MARKDOWN)), look.columns);
}

/** The index of the first item with a greater id; ids grow. */
function findFirstAfter(items: readonly ChatItem[], id: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.id ?? 0) > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

import type { StoredTurn } from "./types.js";

/** How a turn is told what was said before it. */
export interface TurnPlan {
  /** The backend's own session, which knows the turns that are not carried; null: it knows none. */
  readonly resume: string | null;
  /** The turns that have to be told to it, oldest first. */
  readonly carried: readonly StoredTurn[];
}

/**
 * A backend that can go on with a session of its own is told only what was said elsewhere since; any other one is told
 * all. Turns without an answer have nothing to tell.
 */
export function planTurn(turns: readonly StoredTurn[], backend: string, resumes: boolean): TurnPlan {
  const isOwn = ({ settings }: StoredTurn): boolean => settings.backend === backend;
  const last = resumes ? turns.findLastIndex((turn) => isOwn(turn) && turn.sessionId !== null) : -1;
  // A turn that was cancelled may tell no session (copilot tells it last): it was said in the one before.
  const unknown = turns.slice(last + 1).filter((turn) => last === -1 || !isOwn(turn));
  return { resume: turns[last]?.sessionId ?? null, carried: unknown.filter(({ answer }) => answer !== "") };
}

/** What is carried has room for so much; it must fit into an argument (128 KiB on Linux) with the prompt beside it. */
export const MAX_CARRIED_BYTES = 64 * 1024;
/** One long turn must not take the place of all others. */
const MAX_TURN_BYTES = 16 * 1024;

/** The prompt with the turns that its backend does not know; the oldest are left out where there are too many. */
export function toCarriedPrompt(carried: readonly StoredTurn[], prompt: string): string {
  const turns = takeNewest(carried.map(describeTurn));
  if (turns.length === 0) return prompt;
  const leftOut = carried.length - turns.length;
  const which = leftOut === 0 ? "all of them" : `the last ${turns.length}; ${leftOut} before them are left out`;
  return `This conversation has earlier turns that you did not take part in. Here they are, oldest first (${which}):

<earlier_turns>
${turns.join("\n\n")}
</earlier_turns>

Go on with the conversation. The next message is:

${prompt}`;
}

function describeTurn({ prompt, asked = prompt, answer, settings }: StoredTurn): string {
  return `User:\n${toCarriedText(asked)}\n\nAssistant (${settings.backend}):\n${toCarriedText(answer)}`;
}

function takeNewest(texts: readonly string[]): readonly string[] {
  let room = MAX_CARRIED_BYTES;
  const first = texts.findLastIndex((text) => (room -= Buffer.byteLength(text)) < 0);
  return texts.slice(first + 1);
}

/** As much of a prompt or an answer as is carried. The beginning and the end of a long text say most. */
export function toCarriedText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TURN_BYTES) return text;
  const half = MAX_TURN_BYTES / 2;
  const [begin, end] = [bytes.subarray(0, half).toString(), bytes.subarray(-half).toString()].map((part) => part.replaceAll("\uFFFD", ""));
  return `${begin ?? ""}\n[… ${bytes.length - MAX_TURN_BYTES} bytes left out …]\n${end ?? ""}`;
}

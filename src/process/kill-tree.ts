import { setTimeout as sleep } from "node:timers/promises";
import type { EndSignal } from "../adapters/traits.js";
import { RUN_ID_VARIABLE } from "./child-env.js";
import { findTreeMembers, type TreeMembers } from "./find-tree-members.js";
import { createProcessSource, type ProcessRow, type ProcessSource } from "./process-table.js";
import type { ProcessTree } from "./process-tree.js";
import { createWindowsTree } from "./windows-tree.js";

export interface ProcessTreeOptions {
  /** The child at the root. It leads a process group of its own. */
  readonly pid: number;
  /** The value of `JLGCLI_RUN_ID` in the child's environment; an empty one marks nothing. */
  readonly runId: string;
  /**
   * Its start time, where the tree is not that of a child just started (see `ProcessRow`). The ids of such a tree may
   * have been given to others meanwhile, so that nothing counts for it without a proof.
   */
  readonly startedAt?: number;
  readonly platform?: NodeJS.Platform;
}

/** For records that name no signals of their own. */
export const DEFAULT_END_SIGNALS: readonly EndSignal[] = [{ signal: "SIGTERM", to: "tree", waitMs: 2000 }];

/**
 * The tree of a child. Its group alone is not enough: every agent that was measured runs its tools in a session of
 * their own. So it is the group, the descendants by parent id (collected before each signal, because a signal cuts
 * the line), and on Linux whoever carries the run's id in its environment (a double fork escapes the other two).
 * Limits: on macOS a double fork into a new session escapes; on Windows whatever outlives the root escapes.
 */
export function createProcessTree({ pid, runId, startedAt, platform = process.platform }: ProcessTreeOptions): ProcessTree {
  if (platform === "win32") return createWindowsTree(pid);
  const source = createProcessSource(platform);
  const known = new Map<number, number>();
  // On macOS asking costs a process, and `noteRootGone` is guard enough.
  const rootStartedAt = startedAt ?? (platform === "linux" ? source.findProcess(pid)?.startedAt : undefined);
  let rootIsGone = false;

  const look = (): TreeMembers => {
    const isMarked = (row: ProcessRow): boolean | undefined => runId !== "" && source.hasVariable(row.pid, `${RUN_ID_VARIABLE}=${runId}`);
    const identity = { rootPid: pid, rootStartedAt, rootIsGone, groupNeedsProof: startedAt !== undefined, known, ownPid: process.pid, isMarked };
    const members = findTreeMembers(source.loadTable(), identity);
    for (const row of members.rows) known.set(row.pid, row.startedAt);
    return members;
  };

  return {
    startedAt: rootStartedAt,
    noteRootGone() {
      rootIsGone = true;
    },
    count: () => look().rows.length,
    end: (signals = DEFAULT_END_SIGNALS) => endMembers({ rootPid: pid, look, source, signals }),
    kill() {
      // The second look finds what was started between the first and its signals; more are for what cannot be told yet.
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const members = look();
        sendSignal(members, pid, "SIGKILL", "tree");
        if (round > 0 && !members.isUndecided) return;
        if (round > 0) sleepSync(UNDECIDED_POLL_MS);
      }
    },
  };
}

/** Ends a tree of which only the facts are known, for instance one that a run left behind that was killed itself. */
export async function endTree({ endSignals, ...options }: ProcessTreeOptions & { readonly endSignals?: readonly EndSignal[] }): Promise<number> {
  return createProcessTree(options).end(endSignals);
}

/** All signals together may take this long, and KILL with its looks this long: under 7 s in all. */
const SIGNALS_LIMIT_MS = 5000;
const KILL_LIMIT_MS = 1800;
/** KILL takes milliseconds; a process that is stuck in the system is not waited for longer than this before a new look. */
const KILL_WAIT_MS = 600;

/** How long we wait in all for processes that have no environment yet; some never get one. */
const UNDECIDED_LIMIT_MS = 500;
const UNDECIDED_POLL_MS = 10;
const KILL_ROUNDS = 20;

interface Ending {
  readonly rootPid: number;
  readonly look: () => TreeMembers;
  readonly source: ProcessSource;
  readonly signals: readonly EndSignal[];
}

async function endMembers({ rootPid, look: lookOnce, source, signals }: Ending): Promise<number> {
  let undecidedLeftMs = UNDECIDED_LIMIT_MS;
  const look = async (): Promise<TreeMembers> => {
    let members = lookOnce();
    while (members.rows.length === 0 && members.isUndecided && undecidedLeftMs > 0) {
      await sleep(UNDECIDED_POLL_MS);
      undecidedLeftMs -= UNDECIDED_POLL_MS;
      members = lookOnce();
    }
    return members;
  };
  let members = await look();
  const signalsEndMs = Date.now() + SIGNALS_LIMIT_MS;
  for (const { signal, to, waitMs } of signals) {
    const wasSent = sendSignal(members, rootPid, signal, to);
    const untilMs = wasSent ? Math.min(Date.now() + waitMs, signalsEndMs) : 0;
    while (members.rows.length > 0 && Date.now() < untilMs) {
      await waitUntilGone(members.rows, source, untilMs);
      members = await look();
    }
  }
  const killEndMs = Date.now() + KILL_LIMIT_MS;
  while (members.rows.length > 0 && Date.now() < killEndMs) {
    sendSignal(members, rootPid, "SIGKILL", "tree");
    await waitUntilGone(members.rows, source, Math.min(Date.now() + KILL_WAIT_MS, killEndMs));
    members = await look();
  }
  return members.rows.length;
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 50;

async function waitUntilGone(rows: readonly ProcessRow[], source: ProcessSource, untilMs: number): Promise<void> {
  let pollMs = FIRST_POLL_MS;
  while (rows.some((row) => source.isAlive(row)) && Date.now() < untilMs) {
    await sleep(Math.min(pollMs, Math.max(untilMs - Date.now(), 1)));
    pollMs = Math.min(pollMs * 2, LAST_POLL_MS);
  }
}

/**
 * A group is signalled as one, which no fork can slip through, and everybody else alone, so that each process gets the
 * signal once: to many an agent a second INT means "at once". False when there was nobody to send it to.
 */
function sendSignal(members: TreeMembers, rootPid: number, signal: NodeJS.Signals, to: EndSignal["to"]): boolean {
  const receivers = to === "tree" ? members.rows : members.rows.filter((row) => row.pid === rootPid);
  const isInGroup = (row: ProcessRow): boolean => to === "tree" && members.ownsGroup && row.groupId === rootPid;
  if (receivers.some(isInGroup)) trySignal(-rootPid, signal);
  for (const row of receivers) if (!isInGroup(row)) trySignal(row.pid, signal);
  return receivers.length > 0;
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It may be gone by now, or not be ours to signal; whether it still lives is looked at anyway.
  }
}

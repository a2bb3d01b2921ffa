import type { ProcessRow, ProcessTable } from "./process-table.js";

/** What identifies the tree of a child. */
export interface TreeIdentity {
  readonly rootPid: number;
  /** Undefined where it is not known: then a process with the root's id is taken for the root. */
  readonly rootStartedAt: number | undefined;
  /** True when the root is known to be gone: whoever has its id now is someone else. */
  readonly rootIsGone: boolean;
  /** True when the root may be long gone and the number of its group someone else's. */
  readonly groupNeedsProof?: boolean;
  /** Processes that an earlier look found, with their start times. */
  readonly known: ReadonlyMap<number, number>;
  /** This process, whose ancestors are protected with it. */
  readonly ownPid: number;
  /** True when the process carries the mark of the run, undefined when that cannot be told now. Asked only where nothing else decides. */
  readonly isMarked: (row: ProcessRow) => boolean | undefined;
}

export interface TreeMembers {
  readonly rows: readonly ProcessRow[];
  /** True when the root's process group can be signalled as a whole: it is the root's, and holds no one protected. */
  readonly ownsGroup: boolean;
  /** True when a young process has no environment yet to tell whether it is a member: look again soon. */
  readonly isUndecided: boolean;
}

/**
 * The living processes of a child's tree: the child, its group, those known from before, the descendants of all of
 * them, and those that carry the run's mark with their descendants. Never this process nor its ancestors, and never a
 * process that only got an id that was used before.
 */
export function findTreeMembers(table: ProcessTable, identity: TreeIdentity): TreeMembers {
  const protectedPids = findAncestors(table, identity.ownPid);
  const hasGroup = groupIsRoots(table, identity);
  const isSeed = (row: ProcessRow): boolean =>
    isRoot(row, identity) || (hasGroup && row.groupId === identity.rootPid) || identity.known.get(row.pid) === row.startedAt;
  const found = new Set<number>();
  const candidates = [...table.values()].filter((row) => !protectedPids.has(row.pid) && row.pid !== 1);
  addWithDescendants(candidates.filter(isSeed), candidates, found);
  const youngestStart = Math.max(...candidates.map(({ startedAt }) => startedAt));
  let isUndecided = false;
  const marked = candidates.filter((row) => {
    if (found.has(row.pid) || !mayBeMarked(row, identity)) return false;
    const isMarked = identity.isMarked(row);
    // Threads of the kernel, the children of 2, never have an environment.
    if (isMarked === undefined && row.parentPid !== 2 && youngestStart - row.startedAt <= YOUNG_TICKS) isUndecided = true;
    return isMarked === true;
  });
  addWithDescendants(marked, candidates, found);
  return {
    rows: candidates.filter((row) => found.has(row.pid) && !row.isZombie),
    isUndecided,
    ownsGroup: hasGroup && ![...protectedPids].some((pid) => table.get(pid)?.groupId === identity.rootPid),
  };
}

/** Becoming another program takes a moment, on a busy machine a long one. Ticks of Linux, the only system with marks: 1 s. */
const YOUNG_TICKS = 100;

function findAncestors(table: ProcessTable, pid: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && next > 0 && !found.has(next); next = table.get(next)?.parentPid) {
    found.add(next);
  }
  return found;
}

/**
 * While a group has members, the system gives its number to no new process. So when a process that is not the root has
 * the root's id, the root's group is gone, and a group of that number is someone else's. And a group in which a process
 * carries the run's mark has had members ever since the root's time.
 */
function groupIsRoots(table: ProcessTable, identity: TreeIdentity): boolean {
  const row = table.get(identity.rootPid);
  if (row !== undefined) return isRoot(row, identity);
  return identity.groupNeedsProof !== true || [...table.values()].some((member) => isMarkedMember(member, identity));
}

function isMarkedMember(row: ProcessRow, identity: TreeIdentity): boolean {
  return row.groupId === identity.rootPid && mayBeMarked(row, identity) && identity.isMarked(row) === true;
}

function isRoot(row: ProcessRow, { rootPid, rootStartedAt, rootIsGone }: TreeIdentity): boolean {
  return !rootIsGone && row.pid === rootPid && (rootStartedAt === undefined || row.startedAt === rootStartedAt);
}

/** A process that is older than the root cannot have inherited anything from it. */
function mayBeMarked(row: ProcessRow, { rootStartedAt }: TreeIdentity): boolean {
  return !row.isZombie && (rootStartedAt === undefined || row.startedAt >= rootStartedAt);
}

function addWithDescendants(seeds: readonly ProcessRow[], candidates: readonly ProcessRow[], found: Set<number>): void {
  if (seeds.length === 0) return;
  const childrenOf = groupByParent(candidates);
  const queue = [...seeds];
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    if (found.has(row.pid)) continue;
    found.add(row.pid);
    queue.push(...(childrenOf.get(row.pid) ?? []));
  }
}

function groupByParent(rows: readonly ProcessRow[]): ReadonlyMap<number, readonly ProcessRow[]> {
  const groups = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = groups.get(row.parentPid);
    if (siblings === undefined) groups.set(row.parentPid, [row]);
    else siblings.push(row);
  }
  return groups;
}

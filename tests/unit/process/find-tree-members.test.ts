import { describe, expect, it } from "vitest";
import { findTreeMembers, type TreeIdentity } from "../../../src/process/find-tree-members.js";
import type { ProcessRow, ProcessTable } from "../../../src/process/process-table.js";

const OWN = 50;
const ROOT = 100;

function row(pid: number, parentPid: number, fields: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, parentPid, groupId: pid, startedAt: pid, isZombie: false, ...fields };
}

/** init 1 -> shell 40 -> we 50, and whatever else there is. */
function tableOf(...rows: readonly ProcessRow[]): ProcessTable {
  return new Map([row(1, 0), row(40, 1), row(OWN, 40), ...rows].map((entry) => [entry.pid, entry]));
}

function findMembers(table: ProcessTable, identity: Partial<TreeIdentity> & { readonly marked?: readonly number[] } = {}) {
  const { marked = [], ...rest } = identity;
  const members = findTreeMembers(table, {
    rootPid: ROOT,
    rootStartedAt: ROOT,
    rootIsGone: false,
    known: new Map(),
    ownPid: OWN,
    isMarked: ({ pid }) => marked.includes(pid),
    ...rest,
  });
  return { pids: members.rows.map(({ pid }) => pid), ownsGroup: members.ownsGroup };
}

describe("the members of a child's tree", () => {
  it("are the child, its descendants in whatever session, and its group", () => {
    const table = tableOf(row(ROOT, OWN), row(101, ROOT), row(102, 101), row(103, 1, { groupId: ROOT }), row(104, 1));
    expect(findMembers(table)).toEqual({ pids: [ROOT, 101, 102, 103], ownsGroup: true });
  });

  it("are undecided while a young process has no environment yet, but not for threads of the kernel or old processes", () => {
    const isUndecided = (...rows: readonly ProcessRow[]): boolean => {
      const identity = { rootPid: ROOT, rootStartedAt: ROOT, rootIsGone: false, known: new Map(), ownPid: OWN, isMarked: () => undefined };
      return findTreeMembers(tableOf(row(ROOT, OWN), ...rows), identity).isUndecided;
    };
    expect(isUndecided()).toBe(false);
    expect(isUndecided(row(120, 1))).toBe(true);
    expect(isUndecided(row(120, ROOT))).toBe(false);
    expect(isUndecided(row(120, 2))).toBe(false);
    expect(isUndecided(row(120, 1), row(900, ROOT))).toBe(false);
  });

  it("are not found by the number of a group alone when the child may be long gone, but by a mark in it", () => {
    const table = tableOf(row(103, 1, { groupId: ROOT }), row(104, 1, { groupId: ROOT }), row(105, 103));
    expect(findMembers(table, { rootIsGone: true, groupNeedsProof: true }).pids).toEqual([]);
    expect(findMembers(table, { rootIsGone: true, groupNeedsProof: true, marked: [104] }).pids).toEqual([103, 104, 105]);
    const reused = tableOf(row(ROOT, 1, { startedAt: 900 }), row(104, 1, { groupId: ROOT }));
    expect(findMembers(reused, { groupNeedsProof: true }).pids).toEqual([]);
  });

  it("are found by the group when the child itself is gone", () => {
    expect(findMembers(tableOf(row(103, 1, { groupId: ROOT })), { rootIsGone: true })).toEqual({ pids: [103], ownsGroup: true });
  });

  it("are found by the run's mark when nothing else leads to them, together with their descendants", () => {
    const table = tableOf(row(200, 1), row(201, 200), row(202, 1));
    expect(findMembers(table, { rootIsGone: true, marked: [200] }).pids).toEqual([200, 201]);
  });

  it("stay known when their parent has gone", () => {
    const table = tableOf(row(102, 1), row(105, 102));
    expect(findMembers(table, { rootIsGone: true, known: new Map([[102, 102]]) }).pids).toEqual([102, 105]);
  });

  it("do not include who got a known id later", () => {
    const table = tableOf(row(102, 1, { startedAt: 999 }));
    expect(findMembers(table, { rootIsGone: true, known: new Map([[102, 102]]) }).pids).toEqual([]);
  });

  it("do not include who got the child's id later, nor that one's group", () => {
    const recycled = tableOf(row(ROOT, 1, { startedAt: 999 }), row(300, ROOT, { groupId: ROOT }));
    expect(findMembers(recycled)).toEqual({ pids: [], ownsGroup: false });
    expect(findMembers(recycled, { rootStartedAt: undefined, rootIsGone: true })).toEqual({ pids: [], ownsGroup: false });
  });

  it("do not include processes that have ended, but those that an ended one started", () => {
    const table = tableOf(row(ROOT, OWN, { isZombie: true }), row(101, ROOT, { isZombie: true }), row(102, 101));
    expect(findMembers(table).pids).toEqual([102]);
  });

  it("are never asked for the mark when they are older than the child", () => {
    const asked: number[] = [];
    findMembers(tableOf(row(60, 1), row(ROOT, OWN), row(120, 1)), {
      isMarked: ({ pid }) => {
        asked.push(pid);
        return false;
      },
    });
    expect(asked).toEqual([120]);
  });

  it("never include this process, its ancestors or process 1, even when all of them carry the mark", () => {
    const table = tableOf(row(ROOT, OWN));
    expect(findMembers(table, { rootStartedAt: 0, marked: [1, 40, OWN, ROOT] }).pids).toEqual([ROOT]);
  });

  it("leave the group alone as a whole when one of our own line is in it", () => {
    const table: ProcessTable = new Map([row(1, 0), row(40, 1, { groupId: ROOT }), row(OWN, 40, { groupId: ROOT }), row(ROOT, OWN)].map((entry) => [entry.pid, entry]));
    expect(findMembers(table)).toEqual({ pids: [ROOT], ownsGroup: false });
  });

  it("are nobody when nothing is left", () => {
    expect(findMembers(tableOf(row(104, 1)), { rootIsGone: true }).pids).toEqual([]);
  });

  it("are found in a table whose parents form a circle", () => {
    expect(findMembers(tableOf(row(ROOT, 101), row(101, ROOT))).pids).toEqual([ROOT, 101]);
  });
});

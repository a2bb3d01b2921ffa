import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface LeftOverProcess {
  pid: number;
  /** The arguments, joined with spaces. */
  command: string;
}

/** What to look for: `JLGCLI_RUN_ID` or `HOME` of a run, as it stands in the environment of each of its processes. */
export interface ProcessMark {
  runId?: string;
  home?: string;
}

/**
 * Lists the living processes that carry a mark in their environment. Linux only, from `/proc/PID/environ`:
 * that finds also what a tool has put into a session of its own or forked twice.
 */
export function findLeftOverProcesses(mark: ProcessMark): LeftOverProcess[] {
  const wanted = toVariables(mark);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => carries(name, wanted) && !isZombie(name))
    .map((name) => ({ pid: Number(name), command: commandOf(name) }));
}

/** Waits until nothing with the mark is alive and returns what still is after `withinMs`. */
export async function waitForNoLeftOvers(mark: ProcessMark, withinMs = 5_000): Promise<LeftOverProcess[]> {
  const deadline = Date.now() + withinMs;
  let left = findLeftOverProcesses(mark);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(50);
    left = findLeftOverProcesses(mark);
  }
  return left;
}

/** Waits until a process with the mark and these arguments, joined with spaces, is alive. Throws after `withinMs`. */
export async function waitForProcess(mark: ProcessMark, command: string, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!findLeftOverProcesses(mark).some((left) => left.command === command)) {
    if (Date.now() > deadline) throw new Error(`${command} did not start within ${withinMs} ms`);
    await sleep(50);
  }
}

/** Kills by pid what carries the mark, again until nothing new turns up, and returns what was killed. */
export async function endLeftOverProcesses(mark: ProcessMark): Promise<LeftOverProcess[]> {
  const ended: LeftOverProcess[] = [];
  for (let round = 0; round < 20; round += 1) {
    const found = findLeftOverProcesses(mark);
    if (found.length === 0) break;
    for (const left of found) {
      kill(left.pid);
      if (!ended.some(({ pid }) => pid === left.pid)) ended.push(left);
    }
    await sleep(25);
  }
  return ended;
}

function toVariables({ runId, home }: ProcessMark): string[] {
  const variables = [...(runId === undefined ? [] : [`JLGCLI_RUN_ID=${runId}`]), ...(home === undefined ? [] : [`HOME=${home}`])];
  if (variables.length === 0) throw new Error("a process mark needs a runId or a home, else every process would fit");
  return variables;
}

function carries(pid: string, wanted: readonly string[]): boolean {
  const variables = readProc(pid, "environ").split("\0");
  return wanted.some((variable) => variables.includes(variable));
}

/** A zombie has ended; only its parent has not asked yet. */
function isZombie(pid: string): boolean {
  return /^State:\s+Z/m.test(readProc(pid, "status"));
}

function commandOf(pid: string): string {
  return readProc(pid, "cmdline").split("\0").join(" ").trim();
}

/** The process may end, or belong to someone else, while we read: then there is nothing to see. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster than we.
  }
}

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** One process of the system. */
export interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /**
   * When it started, on a scale of the platform's own: only for comparing. A process id that is used again has
   * another start time, so that both together name one process.
   */
  readonly startedAt: number;
  /** It has ended and waits for its parent to notice. */
  readonly isZombie: boolean;
}

export type ProcessTable = ReadonlyMap<number, ProcessRow>;

/** What can be asked of the system's processes. Synchronous: it is also used while this process is ending. */
export interface ProcessSource {
  /** Empty where the system cannot be asked. */
  loadTable(): ProcessTable;
  findProcess(pid: number): ProcessRow | undefined;
  /** True while the very process of the row runs. */
  isAlive(row: ProcessRow): boolean;
  /**
   * True when the variable stood in the environment that the process was started with. Undefined while there is none
   * to read: a process that is just becoming another program has none for a moment, and some have none for good.
   */
  hasVariable(pid: number, variable: string): boolean | undefined;
}

/** Windows has none: its `taskkill` knows trees itself. */
export function createProcessSource(platform: NodeJS.Platform = process.platform): ProcessSource {
  return platform === "linux" ? LINUX_SOURCE : PS_SOURCE;
}

/**
 * One line of `/proc/PID/stat`: `4242 (tmux: server (1)) S 1 4242 4242 0 -1 …`. The command's name may hold blanks and
 * parentheses, so it ends at the last `)`. Fields by proc(5): 3 state, 4 parent, 5 group, 22 start time in clock ticks.
 */
export function parseProcStat(line: string): ProcessRow | null {
  const pid = Number.parseInt(line, 10);
  const [state = "", parent, group, ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const row = toRow(pid, parent, group, Number(rest[22 - 6]));
  return row && { ...row, isZombie: DEAD_STATES.has(state) };
}

// Z: zombie; X, x: dead, about to vanish.
const DEAD_STATES: ReadonlySet<string> = new Set(["Z", "X", "x"]);

/** The output of `ps -A -o pid=,ppid=,pgid=,stat=,lstart=`, one process a line: `  501   1   501 Ss   Mon Nov 30 09:50:12 2026`. */
export function parsePsOutput(text: string): ProcessTable {
  const rows = text.split("\n").flatMap((line) => parsePsLine(line) ?? []);
  return new Map(rows.map((row) => [row.pid, row]));
}

function parsePsLine(line: string): ProcessRow | null {
  const [pid, parent, group, state = "", ...start] = line.trim().split(/\s+/);
  const row = toRow(Number(pid), parent, group, Date.parse(start.join(" ")));
  return row && { ...row, isZombie: state.startsWith("Z") };
}

function toRow(pid: number, parent: string | undefined, group: string | undefined, startedAt: number): Omit<ProcessRow, "isZombie"> | null {
  const [parentPid, groupId] = [Number(parent), Number(group)];
  return [pid, parentPid, groupId, startedAt].every(Number.isFinite) ? { pid, parentPid, groupId, startedAt } : null;
}

const LINUX_SOURCE: ProcessSource = {
  loadTable() {
    const table = new Map<number, ProcessRow>();
    const asked = new Set<number>();
    // While we read, a process may start another and end: then neither it nor its child would be seen. So new ids are
    // looked for until there are none.
    for (let round = 0; round < LISTINGS; round += 1) {
      const fresh = listPids().filter((pid) => !asked.has(pid));
      if (fresh.length === 0) break;
      for (const pid of fresh) {
        asked.add(pid);
        const row = readProcStat(pid);
        if (row !== null) table.set(pid, row);
      }
    }
    return table;
  },
  findProcess: (pid) => readProcStat(pid) ?? undefined,
  isAlive(row) {
    const now = readProcStat(row.pid);
    return now !== null && now.startedAt === row.startedAt && !now.isZombie;
  },
  hasVariable(pid, variable) {
    try {
      // Each variable ends with NUL; the whole is latin1 because only an exact match of our own ASCII text counts.
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      return environment === "" ? undefined : `\0${environment}`.includes(`\0${variable}\0`);
    } catch {
      // It is gone or belongs to someone else.
      return false;
    }
  },
};

/** Enough for a chain of processes that each start the next and end. */
const LISTINGS = 8;

function listPids(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// A line is about 300 bytes; the command's name is at most 15 of them (64 for threads of the kernel).
const statBuffer = Buffer.alloc(2048);

function readProcStat(pid: number): ProcessRow | null {
  try {
    const fd = openSync(`/proc/${pid}/stat`, "r");
    try {
      return parseProcStat(statBuffer.toString("latin1", 0, readSync(fd, statBuffer, 0, statBuffer.length, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

const PS_SOURCE: ProcessSource = {
  loadTable: () => runPs(["-A"]),
  findProcess: (pid) => runPs(["-p", String(pid)]).get(pid),
  // Asked every few milliseconds, so without starting a ps; who has the id then is settled by the next look.
  isAlive: ({ pid }) => canBeSignalled(pid),
  // macOS shows nobody the environment of a process without extra rights.
  hasVariable: () => false,
};

const PS_COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=";

function runPs(selection: readonly string[]): ProcessTable {
  try {
    const output = execFileSync("/bin/ps", [...selection, "-o", PS_COLUMNS], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2000,
    });
    return parsePsOutput(output);
  } catch {
    return new Map();
  }
}

/** True while a process has the id, whoever it belongs to. */
export function canBeSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

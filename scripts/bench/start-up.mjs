import { execFileSync, spawnSync } from "node:child_process";
import { describeFigure, median } from "./statistics.mjs";

const ROUNDS = 21;

/** Targets in multiples of `node -e 0`. Node 22 and newer have a compile cache. */
const hasCompileCache = Number(process.versions.node.split(".")[0]) >= 22;
const TARGETS = { version: 1.35, run: hasCompileCache ? 1.8 : 2.2 };

/** What a start costs: wall and CPU time of whole processes, medians of interleaved rounds. */
export function measureStartUp(workshop) {
  const node = process.execPath;
  const commands = {
    base: [node, "-e", "0"],
    version: [node, workshop.cli, "--version"],
    help: [node, workshop.cli, "--help"],
    run: [node, workshop.cli, "run", "--backend", "codex", "hello"],
    backend: [workshop.backend, "exec", "hello"],
  };
  checkRun(commands.run, workshop);
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, command] of Object.entries(commands)) {
      const time = timeCommand(command, workshop);
      // The first round fills the caches of the system and of Node.
      if (round > 0) times[name].push(time);
    }
  }
  return describeTimes(times);
}

function checkRun([program, ...args], { cwd, env }) {
  const run = spawnSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (run.status !== 0 || run.stdout.trim() !== "hello") throw new Error(`the run to measure does not work: ${run.stdout}${run.stderr}`);
}

/** Bash's own `time` counts the CPU of ended children, which Node does not tell. Without bash there is only wall time. */
function timeCommand(command, { cwd, env }) {
  if (process.platform === "win32") {
    const from = performance.now();
    spawnSync(command[0], command.slice(1), { cwd, env, stdio: "ignore" });
    return { wallMs: performance.now() - from, cpuMs: Number.NaN };
  }
  const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1';
  const printed = execFileSync("bash", ["-c", script, "bash", ...command], { cwd, env, encoding: "utf8" });
  const [real, user, system] = printed.trim().split(" ").map(Number);
  return { wallMs: real * 1000, cpuMs: (user + system) * 1000 };
}

function describeTimes(times) {
  const mid = (name) => ({
    wallMs: median(times[name].map((time) => time.wallMs)),
    cpuMs: median(times[name].map((time) => time.cpuMs)),
  });
  const [base, version, help, run, backend] = ["base", "version", "help", "run", "backend"].map(mid);
  const own = { wallMs: run.wallMs - backend.wallMs, cpuMs: run.cpuMs - backend.cpuMs };
  return [
    `medians of ${ROUNDS}; wall / CPU, and as multiples of node -e 0`,
    describeFigure("node -e 0", describeTime(base)),
    describeFigure("jlgcli --version", describeTime(version), `${describeRatio(version, base)} (target ${TARGETS.version}x)`),
    describeFigure("jlgcli --help", describeTime(help), describeRatio(help, base)),
    describeFigure("jlgcli run, on a backend that answers at once", describeTime(run), describeRatio(run, base)),
    describeFigure("that backend alone (a shell script)", describeTime(backend)),
    describeFigure("jlgcli run minus the backend", describeTime(own), `${describeRatio(own, base)} (target ${TARGETS.run}x)`),
  ];
}

function describeTime({ wallMs, cpuMs }) {
  return `${wallMs.toFixed(0)} / ${Number.isNaN(cpuMs) ? "?" : cpuMs.toFixed(0)} ms`;
}

function describeRatio(time, base) {
  const cpu = Number.isNaN(time.cpuMs) ? "?" : (time.cpuMs / base.cpuMs).toFixed(2);
  return `${(time.wallMs / base.wallMs).toFixed(2)}x / ${cpu}x`;
}

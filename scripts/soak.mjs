#!/usr/bin/env node
/**
 * Many runs of the built CLI with random faults, and what they leave behind, which must be nothing.
 * `npm run soak -- --runs 500 --seed 7`: the same seed gives the same faults. Linux only: it looks into /proc.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const CLI = path.join(root, "dist/cli.cjs");
const AGENT = path.join(root, "tests/fixtures/bin/agent.mjs");
/** Nothing may take longer, however busy the machine is. */
const RUN_LIMIT_MS = 30_000;
/** Runs that share one home, one after the other; this many homes at once. */
const WORKERS = 3;

const startedAtMs = Date.now();
const outcomes = [];

async function soak(runs, seed) {
  const random = createRandom(seed);
  const plans = Array.from({ length: runs }, () => planRun(random));
  const libraryPlans = Array.from({ length: Math.ceil(runs / 10) }, () => planRun(random)).filter(({ signal, full, leaves }) => (signal ?? full ?? leaves) === undefined);
  const places = Array.from({ length: WORKERS }, createPlace);
  try {
    await Promise.all(places.map((place) => work(place, plans)));
    await runInHere(places[0], libraryPlans);
  } finally {
    for (const place of places) rmSync(place.folder, { recursive: true, force: true });
  }
}

async function work(place, plans) {
  for (let plan = plans.shift(); plan !== undefined; plan = plans.shift()) {
    outcomes.push(await runPlan(place, plan));
    // The start after a run that had no time to clean up does it.
    if (plan.isUnclean) outcomes.push(await runPlan(place, AFTER_KILL));
  }
}

// --- plans: what a run meets, and how it may end ---

/** mulberry32: small, and the same everywhere. */
function createRandom(start) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return { chance: (share) => next() < share, pick: (list) => list[Math.floor(next() * list.length)], between: (low, high) => Math.floor(low + next() * (high - low + 1)) };
}

const record = (fields) => ({ record: fields });
const says = (text) => record({ type: "item.completed", item: { id: "i", type: "agent_message", text } });
const STARTED = record({ type: "thread.started", thread_id: "t" });
const DONE = record({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } });
const AGAIN = { type: "item.completed", item: { id: "i", type: "agent_message", text: "again" } };
const TOOLS = ["group", "session", "stubborn", "double-fork", "holds-stdout"];

const NOISE = [
  () => ({ out: "a log line\n" }),
  () => ({ out: "\u001b]0;title\u0007" }),
  () => ({ hex: "ff00fe0a" }),
  () => ({ err: '{"type":"turn.failed","error":{"message":"not this"}}\n' }),
  (random) => ({ floodErr: { count: random.between(1, 20), bytes: 65_536 } }),
  (random) => ({ flood: { count: random.between(1, 20), bytes: 65_536, record: { type: "item.updated" } } }),
  () => record({ type: "error", message: "Reconnecting... 1/5 (stream disconnected)" }),
  (random) => ({ wait: random.between(1, 200) }),
];

/** kind -> what the agent does at the end, the flags, what happens to us, and the ends that are right. */
const KINDS = {
  answers: () => ({ steps: [says("done"), DONE], ends: [0] }),
  "answers, then hangs": () => ({ steps: [says("done"), DONE, { hang: true }], ends: [0] }),
  "answers, then fails": (random) => ({ steps: [says("done"), DONE, { exit: random.between(1, 255) }], ends: [0] }),
  "answers with 4 MiB": () => ({ steps: [says("x".repeat(4 * 1024 * 1024)), DONE], ends: [0], slow: true }),
  fails: () => ({ steps: [record({ type: "turn.failed", error: { message: "broke" } })], ends: [1] }),
  "is refused (401)": () => ({ steps: [record({ type: "turn.failed", error: { message: "unexpected status 401 Unauthorized" } })], ends: [6] }),
  "is overloaded": () => ({ steps: [record({ type: "turn.failed", error: { message: "unexpected status 529" } })], ends: [69] }),
  "exits without a result": (random) => ({ steps: [says("half"), { exit: random.between(0, 255) }], ends: [1, 69] }),
  crashes: (random) => ({ steps: [{ kill: random.pick(["SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM"]) }], ends: [1, 69] }),
  hangs: () => ({ steps: [{ hang: true }], flags: ["--idle-timeout", "800ms"], ends: [75] }),
  "talks for ever": () => ({ steps: [{ chatter: AGAIN }], flags: ["--timeout", "1500ms"], ends: [75] }),
  "is interrupted": (random) => ({ steps: [{ hang: true }], signal: random.pick(["SIGINT", "SIGTERM", "SIGHUP"]), ends: ["signal"] }),
  "is interrupted twice": () => ({ steps: [{ hang: true }], signal: "SIGINT", again: 500, ends: ["signal"], isUnclean: true }),
  "loses its reader": () => ({ steps: [{ chatter: AGAIN }], flags: ["--output", "stream-json"], leaves: true, ends: [141] }),
  "meets a full disk": () => ({ steps: [says("done"), DONE], full: true, ends: [74] }),
  killed: () => ({ steps: [{ hang: true }], signal: "SIGKILL", ends: ["signal"], isUnclean: true }),
};

const AFTER_KILL = { name: "after one that was killed", steps: [says("done"), DONE], ends: [0], flags: [] };

function planRun(random) {
  const name = random.pick(Object.keys(KINDS));
  const { steps, ...plan } = KINDS[name](random);
  const tools = Array.from({ length: random.between(0, 2) }, () => ({ tool: random.pick(TOOLS) }));
  const noise = Array.from({ length: random.between(0, 3) }, () => random.pick(NOISE)(random));
  const stubborn = random.chance(0.15) ? [{ ignore: ["SIGINT", "SIGTERM", "SIGHUP"] }] : [];
  return { name, flags: [], delayMs: random.between(0, 700), ...plan, steps: [...stubborn, STARTED, ...tools, ...noise, ...steps] };
}

// --- one run ---

function createPlace() {
  const folder = mkdtempSync(path.join(tmpdir(), "jlgcli-soak-"));
  const at = Object.fromEntries(["home", "cwd", "bin", "tmp"].map((name) => [name, path.join(folder, name)]));
  for (const each of Object.values(at)) mkdirSync(each);
  symlinkSync(process.execPath, path.join(at.bin, "node"));
  symlinkSync(AGENT, path.join(at.bin, "codex"));
  const env = { HOME: at.home, PATH: `${at.bin}:/usr/bin:/bin`, TMPDIR: at.tmp, LANG: "C.UTF-8", CODEX_API_KEY: "x", AGENT_SCRIPT: path.join(folder, "script.json") };
  return { ...at, folder, env };
}

async function runPlan(place, plan) {
  writeFileSync(place.env.AGENT_SCRIPT, JSON.stringify(plan.steps));
  const runStartedAtMs = Date.now();
  const end = await runCli(place, plan);
  const elapsedMs = Date.now() - runStartedAtMs;
  // A second signal ends everything at once, but its record stays for the next start to make sure.
  const left = plan.signal === "SIGKILL" ? [] : findLeftOvers(place);
  const files = plan.isUnclean ? [] : findLeftFiles(place);
  const isRight = plan.ends.includes("signal") ? end.signal === plan.signal : plan.ends.includes(end.code);
  const problems = [
    ...(isRight ? [] : [`ended with ${end.signal ?? end.code}, expected ${plan.ends.includes("signal") ? plan.signal : plan.ends.join(" or ")}; stderr: ${end.stderr.slice(-300)}`]),
    ...left.map((line) => `left running: ${line}`),
    ...files.map((name) => `left on disk: ${name}`),
    ...(elapsedMs > RUN_LIMIT_MS ? [`took ${elapsedMs} ms`] : []),
  ];
  for (const pid of left.map((line) => Number.parseInt(line, 10))) kill(pid);
  return { name: plan.name, code: String(end.signal ?? end.code), elapsedMs, problems, steps: plan.steps };
}

function runCli(place, plan) {
  const full = plan.full === true ? openSync("/dev/full", "w") : undefined;
  const child = spawn(process.execPath, [CLI, "run", "--backend", "codex", ...plan.flags, "hello"], { cwd: place.cwd, env: place.env, stdio: ["ignore", full ?? "pipe", "pipe"] });
  if (full !== undefined) closeSync(full);
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  if (plan.leaves === true) child.stdout.once("data", () => child.stdout.destroy());
  else if (plan.slow === true) setTimeout(() => child.stdout?.resume(), plan.delayMs);
  else child.stdout?.resume();
  const timers = [setTimeout(() => child.kill("SIGKILL"), 2 * RUN_LIMIT_MS)];
  // Not before it listens: a signal during start-up has the default effect, which is right, but tests nothing here.
  if (plan.signal !== undefined) timers.push(setTimeout(() => child.kill(plan.signal), 100 + plan.delayMs));
  if (plan.again !== undefined) timers.push(setTimeout(() => child.kill(plan.signal), 100 + plan.delayMs + plan.again));
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      timers.forEach(clearTimeout);
      resolve({ code, signal, stderr });
    });
  });
}

/** The library in this one process: what a run forgets to close adds up here. */
async function runInHere(place, plans) {
  process.env.HOME = place.home;
  process.env.TMPDIR = place.tmp;
  const { runOnce } = await import(new URL("../dist/lib/index.js", import.meta.url).href);
  let handlesBefore;
  for (const plan of [AFTER_KILL, ...plans]) {
    writeFileSync(place.env.AGENT_SCRIPT, JSON.stringify(plan.steps));
    const runStartedAtMs = Date.now();
    const { exitCode } = await runOnce({ prompt: "hello", backend: "codex", cwd: place.cwd, env: place.env, timeoutMs: 1500 });
    const left = [...findLeftOvers(place), ...findLeftFiles(place)];
    handlesBefore ??= countHandles();
    const isRight = plan.ends.includes(exitCode) || exitCode === 75;
    const problems = [...(isRight ? [] : [`gave ${exitCode}, expected ${plan.ends.join(" or ")}`]), ...left.map((line) => `left running: ${line}`)];
    outcomes.push({ name: "in one process, any of them", code: String(exitCode), elapsedMs: Date.now() - runStartedAtMs, problems, steps: plan.steps });
  }
  leftHandles = countHandles() - handlesBefore;
}

let leftHandles = 0;

// --- what is left ---

function findLeftOvers(place) {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && readProc(pid, "environ").split("\0").includes(`HOME=${place.home}`))
    .filter((pid) => !/^State:\s+Z/m.test(readProc(pid, "status")))
    .map((pid) => `${pid} ${readProc(pid, "cmdline").replaceAll("\0", " ")}`);
}

function findLeftFiles(place) {
  const running = path.join(place.home, ".jlgcli/running");
  return [...readdirSync(place.tmp), ...(existsSync(running) ? readdirSync(running) : [])];
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster than we.
  }
}

function countHandles() {
  return readdirSync("/proc/self/fd").length;
}

// --- the table ---

function report(seed) {
  const names = [...new Set(outcomes.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const own = outcomes.filter((outcome) => outcome.name === name);
    const codes = [...new Set(own.map(({ code }) => code))].sort().join(", ");
    const times = own.map(({ elapsedMs }) => elapsedMs).sort((a, b) => a - b);
    return [name, own.length, codes, times[Math.floor(times.length / 2)], times.at(-1), own.filter(({ problems }) => problems.length > 0).length];
  });
  printTable(["the backend", "runs", "ended with", "median ms", "slowest ms", "faulty"], rows);
  const bad = outcomes.filter(({ problems }) => problems.length > 0);
  for (const { name, problems, steps } of bad.slice(0, 20)) console.log(`\n${name}\n  ${problems.join("\n  ")}\n  steps: ${JSON.stringify(steps).slice(0, 1000)}`);
  const count = (words) => outcomes.flatMap(({ problems }) => problems).filter((problem) => problem.startsWith(words)).length;
  console.log(`\nseed ${seed}: ${outcomes.length} runs in ${Math.round((Date.now() - startedAtMs) / 1000)} s; left: ${count("left running")} processes, ${count("left on disk")} files, ${leftHandles} handles; ${bad.length} faulty runs`);
  if (bad.length > 0 || leftHandles > 0) process.exitCode = 1;
}

function printTable(head, rows) {
  const widths = head.map((title, column) => Math.max(...[title, ...rows.map((row) => row[column])].map((cell) => String(cell).length)));
  for (const row of [head, ...rows]) console.log(row.map((cell, column) => String(cell).padEnd(widths[column] ?? 0)).join("  ").trimEnd());
}

// --- run, now that all tables above are there ---

if (process.platform !== "linux") {
  console.log("skipped: the soak looks for left-over processes in /proc, which only Linux has");
  process.exit(0);
}
const { values } = parseArgs({ options: { runs: { type: "string", default: "500" }, seed: { type: "string" } } });
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
console.log(`seed ${seed}, ${runs} runs`);

await soak(runs, seed);
report(seed);

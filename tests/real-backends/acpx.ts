import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SUITE_DIRECTORY } from "./backends.js";
import { type IsolatedEnv, writeJson } from "./isolated-env.js";
import { isJsonObject, parseJson, textAt, valueAt } from "./json-value.js";
import { endLeftOverProcesses } from "./left-over-processes.js";

const CLI = fileURLToPath(new URL("../../dist/cli.cjs", import.meta.url));
const PACKAGES = join(SUITE_DIRECTORY, "acp-client", "node_modules");

type JsonObject = Readonly<Record<string, unknown>>;

/** The command line `acpx` (https://github.com/openclaw/acpx), set up to know one agent: `jlgcli acp`. */
export interface Acpx {
  /** `acpx --format json ARGS`, to its end. `{agent}` among the arguments is the agent's name. */
  run(args: readonly string[], options?: AcpxOptions): Promise<AcpxRun>;
}

export interface AcpxOptions {
  readonly timeoutMs?: number;
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
}

export interface AcpxRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** The lines of stdout that are JSON: messages of the protocol, or acpx's own. */
  readonly lines: readonly JsonObject[];
  /** What the agent told by `session/update`. */
  readonly updates: readonly JsonObject[];
  /** The chunks of the agent's messages. */
  readonly text: string;
  readonly stopReason: string | null;
}

export const AGENT = "jlgcli";

/** @param agentArgs stand behind `jlgcli acp` */
export async function setUpAcpx(place: IsolatedEnv, agentArgs: readonly string[]): Promise<Acpx> {
  await writeJson(join(place.home, ".acpx", "config.json"), { agents: { [AGENT]: { argv: [process.execPath, CLI, "acp", ...agentArgs] } } });
  const node = findNode();
  return { run: (args, options = {}) => runAcpx(node, place, args, options) };
}

/** acpx runs from Node 22.13; jlgcli stays on the Node of the tests. */
function findNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const node = major > 22 || (major === 22 && minor >= 13) ? process.execPath : join(PACKAGES, `node-linux-${process.arch}`, "bin", "node");
  const missing = [node, join(PACKAGES, "acpx")].find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`${missing} is not installed: run tests/real-backends/acp-client/install.sh`);
  return node;
}

function runAcpx(node: string, place: IsolatedEnv, args: readonly string[], { timeoutMs = 60_000, onStart }: AcpxOptions): Promise<AcpxRun> {
  const program = spawn(node, [join(PACKAGES, "acpx", "dist", "cli.js"), "--format", "json", ...args], { cwd: place.cwd, env: place.env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  program.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  program.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  onStart?.((signal) => void program.kill(signal));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void endLeftOverProcesses({ home: place.home });
      reject(new Error(`acpx ${args.join(" ")} did not end; stderr: ${output.stderr.slice(-2000)}; stdout: ${output.stdout.slice(-1000)}`));
    }, timeoutMs);
    program.once("error", reject);
    program.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, stderr: output.stderr, ...readLines(output.stdout) });
    });
  });
}

function readLines(stdout: string): Pick<AcpxRun, "lines" | "updates" | "text" | "stopReason"> {
  const lines = stdout.split("\n").map(parseJson).filter(isJsonObject);
  const updates = lines.flatMap((line) => (line["method"] === "session/update" ? [valueAt(line, "params", "update")] : [])).filter(isJsonObject);
  const chunks = updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  const stopReason = lines.map((line) => textAt(line, "result", "stopReason")).findLast((reason) => reason !== null) ?? null;
  return { lines, updates, text: chunks.map((chunk) => textAt(chunk, "content", "text") ?? "").join(""), stopReason };
}

import { spawn } from "node:child_process";
import { describeFigure, median } from "./statistics.mjs";

const ROUNDS = 21;

/** Answers after half a second, when jlgcli has long been listening, with the time at which it wrote the answer. */
const CLOCK_BACKEND = `
setTimeout(() => {
  const write = (record) => require("node:fs").writeSync(1, JSON.stringify(record) + "\\n");
  write({ type: "item.completed", item: { id: "item_0", type: "agent_message", text: "at " + process.hrtime.bigint() + " ns" } });
  setTimeout(() => write({ type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } }), 50);
}, 500);
`;

/** From the moment at which the backend writes to the moment at which a reader of jlgcli's stdout has it. */
export async function measureFirstByte(workshop) {
  workshop.installBackend(CLOCK_BACKEND);
  const direct = [];
  const through = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    direct.push(await measureDelayMs(workshop.backend, [], workshop));
    through.push(
      await measureDelayMs(process.execPath, [workshop.cli, "run", "--backend", "codex", "--output", "stream-json", "hello"], workshop),
    );
  }
  const [bare, whole] = [median(direct), median(through)];
  return [
    `medians of ${ROUNDS}; one pipe is the backend read without jlgcli between`,
    describeFigure("through one pipe", `${bare.toFixed(2)} ms`),
    describeFigure("through jlgcli (--output stream-json)", `${whole.toFixed(2)} ms`),
    describeFigure("delay that jlgcli adds", `${(whole - bare).toFixed(2)} ms`, "(target < 5 ms)"),
  ];
}

/** Both clocks are the system's monotonic one, the same for every process. */
function measureDelayMs(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    let delayMs;
    const take = (chunk) => {
      text += chunk.toString();
      const written = /at (\d+) ns/.exec(text)?.[1];
      if (written !== undefined) delayMs ??= Number(process.hrtime.bigint() - BigInt(written)) / 1e6;
    };
    child.stdout.on("data", take);
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", (code) =>
      delayMs === undefined ? reject(new Error(`${program} ${args.join(" ")}: no time in its output, exit ${code}`)) : resolve(delayMs),
    );
  });
}

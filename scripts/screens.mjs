#!/usr/bin/env node
/**
 * `npm run screens`: makes the screens of `jlgcli chat` in README.md and docs/*.md, `<!-- generated:screen NAME -->`.
 * Each is what a real terminal (tmux) shows of the built program, which plays the recording of the backend `replay` in an
 * empty home. `screen NAME 12 4` has its first 12 and last 4 lines, with `…` for those between. `--check` fails where one is old.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { fillGeneratedParts } from "./generated-parts.mjs";

const CLI = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url));
const QUESTION = "What does jlgcli do?";

/** What is shown: the arguments after `jlgcli chat --backend replay`, what is typed, and what tells that all of it is there. */
const SCREENS = {
  turn: { args: [], type: QUESTION, press: ["Enter"], until: /^replay · .* USD$/m },
  menu: { args: [], type: "/", press: [], until: /^> \/access /m },
  dialog: { args: [], type: "/backend", press: ["Enter"], until: /^Enter: choose/m },
  plain: { args: ["--plain"], type: QUESTION, press: ["Enter"], until: /^\(success, .*\)\n>/m },
};

/** Only what differs each time, and how it is told: the time of the turn, which the recording has as 2.6 s on an idle machine. */
const VARYING = [/\b\d+\.\d s(?=, )/g, "2.6 s"];

const LIMIT_MS = 60_000;
const taken = new Map();

if (spawnSync("tmux", ["-V"]).status !== 0) throw new Error("tmux is not installed: the screens are made in a real terminal");
await fillGeneratedParts({ screen: renderScreen }, (name) => name !== "screen", "npm run screens");

async function renderScreen(argument) {
  const [name, first, last] = argument.split(" ");
  if (!Object.hasOwn(SCREENS, name)) throw new Error(`no screen is called "${name}"; there are ${Object.keys(SCREENS).join(", ")}`);
  if (!taken.has(name)) taken.set(name, await takeScreen(SCREENS[name]));
  const lines = taken.get(name).replace(...VARYING).trimEnd().split("\n");
  const shown = first === undefined ? lines : [...lines.slice(0, Number(first)), "…", ...lines.slice(-Number(last))];
  return `\`\`\`text\n${shown.join("\n")}\n\`\`\``;
}

async function takeScreen({ args, type, press, until }) {
  const terminal = openTerminal(args);
  try {
    await terminal.waitFor(/\/help/);
    terminal.tmux("send-keys", "-l", type);
    if (press.length > 0) terminal.tmux("send-keys", ...press);
    return await terminal.waitFor(until);
  } finally {
    terminal.close();
  }
}

/** A terminal of 80 columns and 24 rows with a chat in it, which sees nothing of this machine but its own Node. */
function openTerminal(args) {
  const folder = mkdtempSync(path.join(tmpdir(), "jlgcli-screens-"));
  const [home, cwd] = ["home", "project"].map((name) => path.join(folder, name));
  for (const each of [home, cwd]) mkdirSync(each);
  const socket = `jlgcli-screens-${process.pid}`;
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMUX_TMPDIR: folder, LANG: "C.UTF-8" };
  const tmux = (...words) => execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], { encoding: "utf8", env });
  const program = ["env", "-i", `HOME=${home}`, `PATH=${path.join(folder, "bin")}`, "TERM=tmux-256color", "LANG=C.UTF-8"];
  const command = [...program, process.execPath, CLI, "chat", "--backend", "replay", ...args];
  tmux("new-session", "-d", "-x", "80", "-y", "24", "-c", cwd, command.map((word) => `'${word}'`).join(" "));
  return {
    tmux,
    waitFor: (wanted) => waitForScreen(() => tmux("capture-pane", "-p", "-S", "-"), wanted),
    close: () => {
      spawnSync("tmux", ["-L", socket, "kill-server"], { env });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The first screen that shows what is wanted and is still the same a moment later. */
async function waitForScreen(look, wanted) {
  const endsAt = Date.now() + LIMIT_MS;
  for (let before = ""; ; ) {
    const screen = look();
    if (wanted.test(screen) && screen === before) return screen;
    if (Date.now() > endsAt) throw new Error(`the screen never showed ${String(wanted)}:\n${screen}`);
    before = screen;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

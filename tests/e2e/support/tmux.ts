import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLI, type Place } from "./cli.js";

/** Why there can be no real terminal here; null where there can. */
export const NO_TMUX: string | null = spawnSync("tmux", ["-V"]).status === 0 ? null : "tmux is not installed";

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** On top of those of the place. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The built CLI in a real terminal. */
export interface Terminal {
  /** Types text as it is. */
  type(text: string): void;
  /** Presses keys by tmux's names for them: `Enter`, `C-c`, `Escape`. */
  press(...keys: readonly string[]): void;
  /** Pastes, as a terminal does it: in brackets where the program has asked for them. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** What stands on the screen, and above it what has left it. */
  screen(): string;
  /** Only what can be seen. */
  visible(): string;
  /** The whole with the escape sequences of its colours. */
  coloured(): string;
  /** How the terminal stands: what a program has to put back in its place. */
  modes(): TerminalModes;
  /** Waits until the screen shows something, and gives the screen. */
  waitFor(wanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Waits for the end of the program, and gives its exit code. */
  exitCode(): Promise<number>;
  close(): void;
}

export interface TerminalModes {
  readonly cursorIsShown: boolean;
  /** False in raw mode. */
  readonly echoes: boolean;
}

/** Each terminal has a server of its own, so that none sees another one's environment. */
export function openTerminal(place: Pick<Place, "cwd" | "env">, args: readonly string[], { columns = 100, rows = 30, env = {} }: TerminalOptions = {}): Terminal {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-tmux-"));
  const socket = join(folder, "socket");
  const settings = join(folder, "tmux.conf");
  // A pane takes the limit that there is when it begins.
  writeFileSync(settings, "set-option -g history-limit 50000\n");
  const tmux = (...words: readonly string[]): string => execFileSync("tmux", ["-S", socket, "-f", settings, ...words], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, env: { PATH: "/usr/bin:/bin:/usr/local/bin", HOME: folder, LANG: "C.UTF-8" } });
  const variables = Object.entries({ TERM: "screen-256color", ...place.env, ...env }).map(([name, value]) => `${name}=${value}`);
  const command = ["env", "-i", ...variables, process.execPath, CLI, ...args].map(quote).join(" ");
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", place.cwd, `${command}; printf '\\nexit code %s.\\n' $?; exec sleep 600`);
  const capture = (...flags: readonly string[]): string => tmux("capture-pane", "-p", "-S", "-", ...flags);
  const waitFor = async (wanted: string | RegExp, timeoutMs = 20_000): Promise<string> => {
    const endsAt = Date.now() + timeoutMs;
    for (;;) {
      const screen = capture();
      if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen)) return screen;
      if (Date.now() > endsAt) throw new Error(`the screen never showed ${String(wanted)}:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    press: (...keys) => void tmux("send-keys", ...keys),
    paste: (text) => {
      execFileSync("tmux", ["-S", socket, "load-buffer", "-"], { input: text });
      tmux("paste-buffer", "-p", "-r");
    },
    resize: (width, height) => void tmux("resize-window", "-x", String(width), "-y", String(height)),
    screen: () => capture(),
    visible: () => tmux("capture-pane", "-p"),
    coloured: () => capture("-e"),
    modes: () => {
      const [cursor, tty = ""] = tmux("display-message", "-p", "#{cursor_flag} #{pane_tty}").trim().split(" ");
      const settings = execFileSync("stty", ["-F", tty, "-a"], { encoding: "utf8" });
      return { cursorIsShown: cursor === "1", echoes: / echo\b/.test(settings) && / icanon\b/.test(settings) };
    },
    waitFor,
    exitCode: async () => Number(/exit code (\d+)\./.exec(await waitFor(/exit code \d+\./))?.[1]),
    close: () => {
      spawnSync("tmux", ["-S", socket, "kill-server"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

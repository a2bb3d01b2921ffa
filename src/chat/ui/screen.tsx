import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { render } from "ink";
import { exitCodeOf, SUCCESS_EXIT_CODE } from "../../exit-codes.js";
import type { ChatController, ChatProgram } from "../types.js";
import { App } from "./app.js";
import { CrashGuard } from "./crash-guard.js";
import { readKeys } from "./key-input.js";
import { ScreenModel } from "./screen-model.js";
import { ScreenOutput } from "./screen-output.js";
import { toGuard } from "./guard.js";
import { createScreenModes, WIPE, type ScreenModes } from "./terminal-modes.js";

export interface ScreenStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** While a window is drawn to another size, sizes come many times a second. */
const RESIZE_SETTLE_MS = 80;
/** How long an answer that was cancelled may take to end after the person has left. */
const LAST_TURN_LIMIT_MS = 6000;
/** Long enough for a last drawing. */
const SUSPEND_AFTER_MS = 50;
/** A terminal that does not tell its size. */
const USUAL_SIZE = { columns: 80, rows: 24 };

/**
 * Shows a chat on a terminal until the person leaves or the system ends us; what is on its way then is cancelled and
 * waited for. Gives the exit code. The terminal is as it was before in every case.
 * @throws what a fault of ours has thrown, after the terminal is restored
 */
export async function runScreen(program: ChatProgram, streams: ScreenStreams): Promise<number> {
  const { controller, signal } = program;
  const modes = createScreenModes(streams.stdin, streams.stdout, program.env);
  modes.enter();
  // Should the program end without us: a terminal in raw mode is of no use to anybody.
  const restore = (): void => modes.restore();
  process.once("exit", restore);
  try {
    await showUntilLeft(program, streams, modes);
  } finally {
    controller.cancel();
    restore();
    process.off("exit", restore);
  }
  await waitUntilIdle(controller, LAST_TURN_LIMIT_MS);
  return signal.aborted ? exitCodeOf("interrupted", typeof signal.reason === "string" ? signal.reason : undefined) : SUCCESS_EXIT_CODE;
}

function showUntilLeft(program: ChatProgram, streams: ScreenStreams, modes: ScreenModes): Promise<void> {
  const { controller, signal } = program;
  return new Promise((resolve, reject) => {
    let isOver = false;
    let close: (() => Promise<void>) | null = null;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", onSignal);
      unsubscribe();
      // Not within a drawing or a key: both still have to come to their ends.
      setImmediate(() => {
        (close?.() ?? Promise.resolve()).then(settle, (error: unknown) => reject(toError(error)));
      });
    };
    const onSignal = (): void => end(resolve);
    const unsubscribe = controller.subscribe(() => {
      if (controller.state().left) end(resolve);
    });
    signal.addEventListener("abort", onSignal);
    try {
      close = openScreen(program, streams, modes, (error) => end(() => reject(toError(error))));
    } catch (error) {
      end(() => reject(toError(error)));
    }
    if (signal.aborted || controller.state().left) return end(resolve);
    if (program.firstPrompt !== null) void controller.submit(program.firstPrompt);
  });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Draws and reads. Gives what ends both. */
function openScreen(program: ChatProgram, { stdin, stdout }: ScreenStreams, modes: ScreenModes, onError: (error: unknown) => void): () => Promise<void> {
  const output = new ScreenOutput(stdout, sizeOf(stdout).columns);
  const screen = new ScreenModel({ program, ...sizeOf(stdout), wipe: () => void stdout.write(WIPE), suspend: () => void suspend(modes, () => goOn()), onError });
  const view = (
    <CrashGuard onError={onError}>
      <App screen={screen} />
    </CrashGuard>
  );
  const ink = render(view, {
    // It has all of a stream that Ink uses.
    stdout: output as unknown as NodeJS.WriteStream,
    stdin,
    exitOnCtrlC: false,
    // Nobody prints while the screen has the terminal.
    patchConsole: false,
    // Who has one gets plain lines.
    isScreenReaderEnabled: false,
  });
  const guard = toGuard(onError);
  const stopReading = readKeys(stdin, guard((key) => screen.press(key)), () => program.controller.leave());
  const stopSizing = followSize(stdout, guard(({ columns, rows }) => {
    output.columns = columns;
    screen.resize(columns, rows);
  }));
  const goOn = guard(() => {
    modes.enter();
    // What a shell has printed meanwhile goes above, not away.
    stdout.write("\n".repeat(sizeOf(stdout).rows));
    screen.goOn();
  });
  const stopContinuing = onContinue(goOn);
  return async () => {
    stopReading();
    stopSizing();
    stopContinuing();
    screen.end();
    // The last drawing, with nothing below the transcript.
    await nextTurn();
    const isWritten = ink.waitUntilExit();
    ink.unmount();
    await isWritten;
  };
}

/** Gives the terminal back to the shell, as Ctrl-Z does where no program has taken the keys. */
async function suspend(modes: ScreenModes, goOn: () => void): Promise<void> {
  // What stood below the transcript has to be gone by then.
  await sleep(SUSPEND_AFTER_MS);
  modes.restore();
  // All of the terminal's foreground, as the terminal itself does it.
  process.kill(0, "SIGTSTP");
  await sleep(SUSPEND_AFTER_MS);
  // Where no shell waits nothing was stopped, and nobody lets us go on.
  if (!modes.areEntered()) goOn();
}

function onContinue(act: () => void): () => void {
  if (process.platform === "win32") return () => undefined;
  process.on("SIGCONT", act);
  return () => void process.off("SIGCONT", act);
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Some pseudo terminals tell 0 until they are shown. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns > 0 ? columns : USUAL_SIZE.columns, rows: rows > 0 ? rows : USUAL_SIZE.rows };
}

function followSize(stdout: NodeJS.WriteStream, onSize: (size: Size) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const onResize = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => onSize(sizeOf(stdout)), RESIZE_SETTLE_MS);
  };
  stdout.on("resize", onResize);
  return () => {
    stdout.off("resize", onResize);
    if (timer !== null) clearTimeout(timer);
  };
}

async function waitUntilIdle(controller: ChatController, limitMs: number): Promise<void> {
  if (controller.state().activity.type === "idle") return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(done, limitMs);
    const unsubscribe = controller.subscribe(() => {
      if (controller.state().activity.type === "idle") done();
    });
  });
}

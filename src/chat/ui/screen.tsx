import { setImmediate as nextTurn } from "node:timers/promises";
import { render } from "ink";
import { exitCodeOf, SUCCESS_EXIT_CODE } from "../../exit-codes.js";
import type { ChatController, ChatProgram } from "../types.js";
import { App } from "./app.js";
import { CrashGuard } from "./crash-guard.js";
import { readKeys } from "./key-input.js";
import { ScreenModel } from "./screen-model.js";
import { ScreenOutput } from "./screen-output.js";
import { toGuard } from "./guard.js";
import { enterScreenModes, WIPE } from "./terminal-modes.js";

export interface ScreenStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** While a window is drawn to another size, sizes come many times a second. */
const RESIZE_SETTLE_MS = 80;
/** How long an answer that was cancelled may take to end after the person has left. */
const LAST_TURN_LIMIT_MS = 6000;
/** A terminal that does not tell its size. */
const USUAL_SIZE = { columns: 80, rows: 24 };

/**
 * Shows a chat on a terminal until the person leaves or the system ends us; what is on its way then is cancelled and
 * waited for. Gives the exit code. The terminal is as it was before in every case.
 * @throws what a fault of ours has thrown, after the terminal is restored
 */
export async function runScreen(program: ChatProgram, streams: ScreenStreams): Promise<number> {
  const { controller, signal } = program;
  const restore = enterScreenModes(streams.stdin, streams.stdout, program.env);
  // Should the program end without us: a terminal in raw mode is of no use to anybody.
  process.once("exit", restore);
  try {
    await showUntilLeft(program, streams);
  } finally {
    controller.cancel();
    restore();
    process.off("exit", restore);
  }
  await waitUntilIdle(controller, LAST_TURN_LIMIT_MS);
  return signal.aborted ? exitCodeOf("interrupted", typeof signal.reason === "string" ? signal.reason : undefined) : SUCCESS_EXIT_CODE;
}

function showUntilLeft(program: ChatProgram, streams: ScreenStreams): Promise<void> {
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
      close = openScreen(program, streams, (error) => end(() => reject(toError(error))));
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
function openScreen(program: ChatProgram, { stdin, stdout }: ScreenStreams, onError: (error: unknown) => void): () => Promise<void> {
  const output = new ScreenOutput(stdout, sizeOf(stdout).columns);
  const screen = new ScreenModel({ program, ...sizeOf(stdout), wipe: () => void stdout.write(WIPE), onError });
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
    isScreenReaderEnabled: program.screenReader,
  });
  const guard = toGuard(onError);
  const stopReading = readKeys(stdin, guard((key) => screen.press(key)), () => program.controller.leave());
  const stopSizing = followSize(stdout, guard(({ columns, rows }) => {
    output.columns = columns;
    screen.resize(columns, rows);
  }));
  return async () => {
    stopReading();
    stopSizing();
    screen.end();
    // The last drawing, with nothing below the transcript.
    await nextTurn();
    const isWritten = ink.waitUntilExit();
    ink.unmount();
    await isWritten;
  };
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

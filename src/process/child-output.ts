import type { Readable } from "node:stream";
import { drainReader } from "./drain.js";
import { followFile } from "./follow-file.js";
import { createOutputFile } from "./output-file.js";
import { readPipe, type ChunkReceiver } from "./read-pipe.js";

/** One output of a child, read while it runs. */
export interface ChildOutput {
  /** To be called at the child's exit: reads what is left, for a bounded time. */
  finish(): Promise<void>;
  /** Gives up what is left. */
  abandon(): void;
  /** Why bytes may be missing. */
  complaint(): string | undefined;
}

/** `stream` is null only where the system gave none; then there is nothing to read. */
export function openPipeOutput(stream: Readable | null, onChunk: ChunkReceiver): ChildOutput {
  if (stream === null) return { finish: () => Promise.resolve(), abandon: () => {}, complaint: () => undefined };
  const reader = readPipe(stream, onChunk);
  return { finish: () => drainReader(reader), abandon: () => reader.stop(), complaint: () => reader.errorMessage };
}

export interface FileOutput extends ChildOutput {
  /** What the child gets as its stdout. Closed on our side by `closeWriter` once the child has it. */
  readonly writerFd: number;
  closeWriter(): void;
}

/** Throws where no folder for temporary files takes a file. */
export function openFileOutput(onChunk: ChunkReceiver): FileOutput {
  const file = createOutputFile();
  const follower = followFile(file.readerFd, file.path, onChunk);
  let isDiskFull = false;
  file.unlink();
  void follower.done.then(() => {
    isDiskFull = file.isDiskFull();
    file.close();
  });
  return {
    writerFd: file.writerFd,
    closeWriter: () => file.closeWriter(),
    finish() {
      follower.finish();
      return follower.done;
    },
    abandon: () => follower.stop(),
    complaint: () => follower.errorMessage ?? (isDiskFull ? `the disk with the child's output is full (${file.folder})` : undefined),
  };
}

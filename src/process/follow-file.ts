import { readSync, watch } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createDelivery, type ChunkReceiver, type OutputReader } from "./read-pipe.js";

/** A file that is being written, read along. */
export interface FileFollower extends OutputReader {
  /** Nobody whose output matters writes any more: read to the end, then be done. */
  finish(): void;
}

const CHUNK_BYTES = 64 * 1024;

/** A writer that never pauses must not keep timers and pipes from their turn. */
const CHUNKS_PER_TURN = 16;

/** How long to wait before looking again: doubled while nothing comes. In milliseconds. */
const FIRST_WAIT_MS = 2;
const LAST_WAIT_MS = 20;

/**
 * Hands on what is appended to a file, in order and completely. Changes are noticed through the system's file
 * notifications and, since not every file system sends them, by looking every few milliseconds.
 * `path` must still exist when this is called; it may be unlinked afterwards.
 */
export function followFile(readerFd: number, path: string, onChunk: ChunkReceiver): FileFollower {
  const delivery = createDelivery(onChunk);
  const bell = createBell();
  const stopWatching = watchFile(path, bell.ring);
  const scratch = Buffer.allocUnsafe(CHUNK_BYTES);
  let isFinishing = false;
  let isStopped = false;
  let isDone = false;

  const consume = async (): Promise<void> => {
    let position = 0;
    let waitMs = FIRST_WAIT_MS;
    for (let turn = 1; ; turn += 1) {
      if (turn % CHUNKS_PER_TURN === 0) await setImmediate();
      // Asked before the read: what is written before `finish` is then always read.
      const isLastLook = isFinishing;
      const length = isStopped ? 0 : readSync(readerFd, scratch, 0, CHUNK_BYTES, position);
      if (length > 0) {
        position += length;
        waitMs = FIRST_WAIT_MS;
        await delivery.deliver(new Uint8Array(scratch.subarray(0, length)));
      } else if (isLastLook || isStopped) {
        return;
      } else {
        await bell.wait(waitMs);
        waitMs = Math.min(waitMs * 2, LAST_WAIT_MS);
      }
    }
  };

  const done = consume()
    .catch((error: unknown) => delivery.noteError(error))
    .finally(() => {
      isDone = true;
      stopWatching();
    });

  return {
    done,
    get isDone() {
      return isDone;
    },
    get isBlocked() {
      return delivery.isBlocked;
    },
    get bytesRead() {
      return delivery.bytesDelivered;
    },
    get errorMessage() {
      return delivery.errorMessage;
    },
    finish() {
      isFinishing = true;
      bell.ring();
    },
    stop() {
      isStopped = true;
      bell.ring();
    },
  };
}

/** A wait that can be cut short. A ring while nobody waits ends the next wait at once. */
function createBell(): { ring: () => void; wait: (ms: number) => Promise<void> } {
  let wasRung = false;
  let wake = (): void => {};
  return {
    ring() {
      wasRung = true;
      wake();
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => wake(), ms);
        wake = () => {
          wake = () => {};
          wasRung = false;
          clearTimeout(timer);
          resolve();
        };
        if (wasRung) wake();
      }),
  };
}

/** Looking every few milliseconds is enough where the system has no watch to give. */
function watchFile(path: string, onChange: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

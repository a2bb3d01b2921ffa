import type { Readable } from "node:stream";
import { describeError } from "../errors.js";

/** Receives a stream's chunks in order. A promise that it returns is awaited before the next one: the backpressure. */
export type ChunkReceiver = (chunk: Uint8Array) => void | Promise<void>;

/** A source that is being read to its end. */
export interface OutputReader {
  /** Settles when every byte was handed on, or after `stop`. Never rejects. */
  readonly done: Promise<void>;
  readonly isDone: boolean;
  /** True while the receiver of a chunk holds us back. */
  readonly isBlocked: boolean;
  readonly bytesRead: number;
  /** Why bytes may be missing. */
  readonly errorMessage: string | undefined;
  /** Gives the rest up. */
  stop(): void;
}

/** Hands on a pipe's chunks. A receiver that throws loses its chunk, and reading goes on. */
export function readPipe(stream: Readable, onChunk: ChunkReceiver): OutputReader {
  const delivery = createDelivery(onChunk);
  let isDone = false;
  let isStopped = false;

  // Iterating uses 'readable' events: with 'data' and pause(), Node itself resumes the stream when the child exits.
  const consume = async (): Promise<void> => {
    try {
      for await (const chunk of stream) {
        const bytes: unknown = chunk;
        if (bytes instanceof Uint8Array) await delivery.deliver(bytes);
      }
    } catch (error) {
      if (!isStopped) delivery.noteError(error);
    }
    isDone = true;
  };

  return {
    done: consume(),
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
    stop() {
      isStopped = true;
      stream.destroy();
    },
  };
}

/** Hands chunks to a receiver, one at a time, and isolates what it throws. */
export interface Delivery {
  readonly isBlocked: boolean;
  readonly bytesDelivered: number;
  readonly errorMessage: string | undefined;
  noteError(error: unknown): void;
  deliver(chunk: Uint8Array): Promise<void>;
}

export function createDelivery(onChunk: ChunkReceiver): Delivery {
  let isBlocked = false;
  let bytesDelivered = 0;
  let errorMessage: string | undefined;
  const noteError = (error: unknown): void => {
    errorMessage ??= describeError(error);
  };
  return {
    get isBlocked() {
      return isBlocked;
    },
    get bytesDelivered() {
      return bytesDelivered;
    },
    get errorMessage() {
      return errorMessage;
    },
    noteError,
    async deliver(chunk) {
      bytesDelivered += chunk.length;
      isBlocked = true;
      try {
        await onChunk(chunk);
      } catch (error) {
        noteError(error);
      } finally {
        isBlocked = false;
      }
    },
  };
}

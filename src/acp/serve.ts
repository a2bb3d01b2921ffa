import { DEFAULT_MAX_MESSAGE_BYTES, MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import type { ConversationHost } from "../conversation/types.js";
import { connectAgent } from "./create-agent.js";
import { ERROR_CODES } from "./error-codes.js";
import { AcpSessions } from "./sessions.js";

/** A client's two pipes, and what the agent behind them works with. */
export interface ClientPipes {
  readonly host: ConversationHost;
  /** What the client sends. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Takes whole lines for the client. */
  readonly write: (text: string) => void;
  /** Resolves when the client has taken what was written. */
  readonly drained: () => Promise<void>;
  /** Its abort ends the agent, as the client's leaving does. */
  readonly signal: AbortSignal;
  readonly version: string;
  readonly log: (line: string) => void;
}

/** Why an agent has ended. All that it had started is ended then. */
export type AcpEnd = { readonly type: "client-gone" } | { readonly type: "interrupted" } | { readonly type: "message-too-large"; readonly limitBytes: number };

/** Serves one client until it leaves. Never rejects. */
export async function serveAcp(client: ClientPipes): Promise<AcpEnd> {
  const { host, input, signal, version, log } = client;
  const sessions = new AcpSessions(host);
  const connection = connectAgent(ndJsonStream(toWritable(client), toReadable(input)), { sessions, version, log });
  await Promise.race([connection.closed, untilAbort(signal)]);
  const end = findEnd(connection.signal);
  log(`end: ${end.type}`);
  if (end.type === "message-too-large") client.write(`${JSON.stringify(toTooLarge(end.limitBytes))}\n`);
  await sessions.end();
  // the answers to what was cancelled are on their way
  await new Promise(setImmediate);
  connection.close();
  return end;
}

function findEnd({ aborted, reason }: AbortSignal): AcpEnd {
  if (!aborted) return { type: "interrupted" };
  return reason instanceof MessageTooLargeError ? { type: "message-too-large", limitBytes: DEFAULT_MAX_MESSAGE_BYTES } : { type: "client-gone" };
}

/** The SDK closes without a word. Which request it was cannot be known. */
function toTooLarge(limitBytes: number): object {
  return { jsonrpc: "2.0", id: null, error: { code: ERROR_CODES.invalidRequest, message: `a message has more than ${limitBytes} bytes: the connection is closed`, data: { limitBytes } } };
}

function untilAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The SDK writes one line at a time, and the next one when this one is taken: that is the backpressure. */
function toWritable({ write, drained }: ClientPipes): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return new WritableStream({
    write: (line) => {
      write(decoder.decode(line));
      return drained();
    },
  });
}

function toReadable(input: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = input[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

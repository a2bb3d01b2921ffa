import { methods, type AnyMessage, type JsonRpcId, type Stream } from "@agentclientprotocol/sdk";

/** The prompts that are not answered yet, each with a signal that a cancel aborts. */
export interface OpenPrompts {
  signalOf(requestId: JsonRpcId): AbortSignal;
}

/**
 * Which prompts a `session/cancel` means is decided by the order in which messages come: those before it, and none after.
 * The SDK calls the handlers of two messages in no certain order, so that they cannot tell.
 */
export function watchPrompts({ readable, writable }: Stream): { readonly stream: Stream; readonly prompts: OpenPrompts } {
  const open = new Map<JsonRpcId, OpenPrompt>();
  const writer = writable.getWriter();
  return {
    stream: {
      readable: readable.pipeThrough(new TransformStream<AnyMessage, AnyMessage>({ transform: (message, controller) => (noteIncoming(message, open), controller.enqueue(message)) })),
      writable: new WritableStream<AnyMessage>({ write: (message) => (noteOutgoing(message, open), writer.write(message)) }),
    },
    prompts: { signalOf: (requestId) => open.get(requestId)?.controller.signal ?? new AbortController().signal },
  };
}

interface OpenPrompt {
  readonly sessionId: unknown;
  readonly controller: AbortController;
}

function noteIncoming(message: AnyMessage, open: Map<JsonRpcId, OpenPrompt>): void {
  if (!("method" in message)) return;
  const sessionId = findSessionId(message.params);
  if ("id" in message && message.method === methods.agent.session.prompt) open.set(message.id, { sessionId, controller: new AbortController() });
  if (message.method !== methods.agent.session.cancel) return;
  for (const prompt of open.values()) if (prompt.sessionId === sessionId) prompt.controller.abort();
}

/** An answer, whatever it says, is the end of a prompt. */
function noteOutgoing(message: AnyMessage, open: Map<JsonRpcId, OpenPrompt>): void {
  if (!("method" in message)) open.delete(message.id);
}

function findSessionId(params: unknown): unknown {
  return typeof params === "object" && params !== null && "sessionId" in params ? params.sessionId : undefined;
}

import { deserializeMessage, serializeMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { ChildProcessSpawner, SpawnedChild } from "../../adapters/traits.js";
import type { StdioTransport } from "./server.js";

/** A message longer than this ends the connection. */
const LINE_LIMIT_CHARS = 32 * 1024 * 1024;

/**
 * MCP over the stdin and stdout of a child that our own spawner starts, so that a server is marked, watched and ended
 * like every other child: with its whole tree. (The SDK's own transport ends only the child: `npx` leaves its server.)
 * Lines on stdout that are no messages are noise, and left out.
 */
export class SpawnedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  private child: SpawnedChild | undefined;
  private readonly decoder = new TextDecoder();
  private pending = "";
  private stderrTail = "";
  private isClosed = false;

  constructor(
    private readonly server: StdioTransport,
    private readonly env: Readonly<Record<string, string>>,
    private readonly spawner: ChildProcessSpawner,
  ) {}

  start(): Promise<void> {
    const { command, args, cwd, env } = this.server;
    const child = this.spawner.spawn(command, args, {
      cwd,
      env: { ...this.env, ...env },
      onStdout: (chunk) => this.read(chunk),
      onStderr: (chunk) => {
        this.stderrTail = (this.stderrTail + Buffer.from(chunk).toString("utf8")).slice(-1000);
      },
    });
    this.child = child;
    void child.done.then((outcome) => {
      if (outcome.spawnErrorMessage !== undefined) this.stderrTail = outcome.spawnErrorMessage;
      this.noteClosed();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.isClosed || this.child === undefined) return Promise.reject(new Error("the server has ended"));
    this.child.writeStdin(serializeMessage(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    // a server that reads its input to the end needs no signal
    child.endStdin();
    if (child.endTree === undefined) child.killTree();
    await child.endTree?.();
    await child.done;
    this.noteClosed();
  }

  /** The last that the server said on stderr: why it ended, most likely. */
  get lastWords(): string {
    const lines = this.stderrTail.trim().split("\n");
    // a program that dies with a stack says why in one line of it
    const reason = lines.findLast((line) => /^\s*\w*(?:Error|error|Exception|fatal|panic)\w*\b.*:/u.test(line));
    return (reason ?? lines.slice(-3).join(" ")).trim().slice(-300);
  }

  private read(chunk: Uint8Array): void {
    const lines = (this.pending + this.decoder.decode(chunk, { stream: true })).split("\n");
    this.pending = lines.pop() ?? "";
    if (this.pending.length > LINE_LIMIT_CHARS) {
      this.onerror?.(new Error(`a message of more than ${String(LINE_LIMIT_CHARS)} characters`));
      this.child?.killTree();
      return;
    }
    for (const line of lines) {
      const message = parseMessage(line);
      if (message !== null) this.onmessage?.(message);
    }
  }

  private noteClosed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onclose?.();
  }
}

function parseMessage(line: string): JSONRPCMessage | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return deserializeMessage(line);
  } catch {
    return null;
  }
}

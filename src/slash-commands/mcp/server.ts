/** One MCP server as some file describes it, with all variables put in. */
export interface McpServer {
  /** As people call it; the middle part of `mcp:server:prompt`. */
  readonly name: string;
  /** The file that names it, or "the configuration". */
  readonly origin: string;
  readonly transport: StdioTransport | HttpTransport;
  /** Milliseconds until it must have started, where its file says so. */
  readonly timeoutMs: number | null;
}

export interface StdioTransport {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the surrounding environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HttpTransport {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

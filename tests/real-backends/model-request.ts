export type Dialect = "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini";

/** One call of the model, reduced to what the dialects have in common. */
export interface ModelRequest {
  dialect: Dialect;
  /** The user's last prompt, without the reminders and dates that the backends wrap around it. */
  prompt: string;
  /** The last user message as it was sent, wrapping included. */
  rawPrompt: string;
  system: string;
  model: string | null;
  effort: string | null;
  tools: readonly OfferedTool[];
  /** Results of tools since the last prompt, oldest first. */
  toolResults: readonly string[];
  stream: boolean;
  body: unknown;
  /** How many requests with the same prompt and as many tool results came before this one. */
  attempt: number;
}

export interface OfferedTool {
  name: string;
  /** Names of the tool's parameters; empty for a tool whose input is free text. */
  parameters: readonly string[];
  isFreeText: boolean;
}

export interface RecordedRequest {
  /** Milliseconds since the server started. */
  atMs: number;
  method: string;
  url: string;
  userAgent: string;
  auth: AuthEvidence;
  /** Present if this was a call of the model. */
  model: ModelRequest | null;
  /** True once the client's end of the connection closed before the answer was complete. */
  wasAbandoned: boolean;
}

export interface AuthEvidence {
  kind: "none" | "x-api-key" | "bearer" | "other";
  value: string;
}

/** Leaves the words of the user: what a backend adds stands in elements of its own. */
export function stripWrapping(text: string): string {
  return text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>\n*/g, "")
    .replace(/^<current_datetime>[^<]*<\/current_datetime>\n\n/, "")
    .replace(/\n*<(reminder|system_notification|system_reminder)>[\s\S]*?<\/\1>\s*/g, "");
}

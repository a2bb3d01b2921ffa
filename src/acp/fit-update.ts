import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";

/** A client that is made with the SDK takes lines of up to 32 MiB and leaves after a longer one; JSON makes six bytes of a character at most. */
const MAX_TEXT_CHARS = 1024 * 1024;
/** What a tool was given and gave, as JSON. */
const MAX_RAW_CHARS = 2 * 1024 * 1024;

/** An update as updates that every client takes: a long text in pieces, what a tool tells shortened. */
export function fitUpdate(update: SessionUpdate): readonly SessionUpdate[] {
  switch (update.sessionUpdate) {
    case "user_message_chunk":
    case "agent_message_chunk":
    case "agent_thought_chunk": {
      const { content } = update;
      return content.type !== "text" ? [update] : toPieces(content.text).map((text) => ({ ...update, content: { ...content, text } }));
    }
    case "tool_call":
    case "tool_call_update":
      return [fitTool(update)];
    default:
      return [update];
  }
}

function toPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from < text.length; ) {
    const piece = cut(text.slice(from, from + MAX_TEXT_CHARS + 1));
    pieces.push(piece);
    from += Math.max(piece.length, 1);
  }
  return pieces;
}

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>;

function fitTool(update: ToolUpdate): ToolUpdate {
  const { content, title, rawInput, rawOutput } = update;
  return {
    ...update,
    ...(typeof title === "string" && title.length > MAX_TITLE_CHARS ? { title: `${cut(title, MAX_TITLE_CHARS)}…` } : {}),
    ...(content === undefined || content === null ? {} : { content: fitContent(content) }),
    ...(isTooLong(rawInput) ? { rawInput: LEFT_OUT } : {}),
    ...(isTooLong(rawOutput) ? { rawOutput: LEFT_OUT } : {}),
  };
}

const MAX_TITLE_CHARS = 64 * 1024;
const LEFT_OUT = "[left out: too long]";

function isTooLong(raw: unknown): boolean {
  return raw !== undefined && JSON.stringify(raw).length > MAX_RAW_CHARS;
}

function fitContent(parts: readonly ToolCallContent[]): ToolCallContent[] {
  let room = MAX_TEXT_CHARS;
  return parts.map((part) => {
    if (part.type !== "content" || part.content.type !== "text") return part;
    const { text } = part.content;
    const kept = cut(text, room);
    room -= kept.length;
    return kept === text ? part : { ...part, content: { ...part.content, text: `${kept}\n[… ${text.length - kept.length} characters left out]` } };
  });
}

/** No half of a character at the end. */
function cut(text: string, maxChars = MAX_TEXT_CHARS): string {
  return text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, "");
}

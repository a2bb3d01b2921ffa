import type { TokenUsage } from "../model-answer.js";
import { keysAt, listAt, textAt, valueAt } from "../json-value.js";
import { type OfferedTool, stripWrapping } from "../model-request.js";
import { type CallToSend, type DialectFormat, type TextToSend, toEvent } from "./dialect.js";

/** The Messages API of Anthropic, as claude speaks it. */
export const anthropicMessages: DialectFormat = {
  dialect: "anthropic-messages",
  parseRequest(body) {
    const messages = listAt(body, "messages");
    const promptIndex = messages.findLastIndex((message) => userTexts(message).length > 0);
    const texts = userTexts(messages[promptIndex]);
    return {
      // The wrapping comes as text blocks of its own, before or after the prompt's block.
      prompt: texts.map(stripWrapping).filter((text) => text !== "").join("\n"),
      rawPrompt: texts.join("\n"),
      system: blockTexts(valueAt(body, "system")).join("\n"),
      model: textAt(body, "model"),
      effort: textAt(body, "output_config", "effort"),
      tools: listAt(body, "tools").flatMap(toOfferedTool),
      toolResults: messages.slice(promptIndex).flatMap(toolResults),
      stream: valueAt(body, "stream") === true,
    };
  },
  textStream(answer) {
    const offset = answer.thinking === null ? 0 : 1;
    return {
      head: start(answer.id, answer.model, answer.usage) + thinkingBlock(answer.thinking) + blockStart(offset, { type: "text", text: "" }),
      deltas: answer.pieces.map((text) => blockDelta(offset, { type: "text_delta", text })),
      tail: blockStop(offset) + end("end_turn", answer.usage),
    };
  },
  toolStream(answer) {
    const offset = answer.text === null ? 0 : 1;
    return [
      start(answer.id, answer.model, answer.usage) + prefaceBlock(answer.text),
      blockStart(offset, { ...toolUse(answer), input: {} }),
      blockDelta(offset, { type: "input_json_delta", partial_json: JSON.stringify(answer.call.input) }),
      blockStop(offset) + end("tool_use", answer.usage),
    ];
  },
  textBody: (answer) => message(answer, [...thinkingContent(answer), { type: "text", text: answer.text }], "end_turn"),
  toolBody: (answer) => message(answer, [...prefaceContent(answer.text), toolUse(answer)], "tool_use"),
};

function userTexts(message: unknown): string[] {
  if (valueAt(message, "role") !== "user") return [];
  const texts = blockTexts(valueAt(message, "content"));
  // A message of reminders only, which follows a tool's result, is no prompt.
  return texts.some((text) => stripWrapping(text).trim() !== "") ? texts : [];
}

function blockTexts(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listAt(content).flatMap((block) => textAt(block, "text") ?? []);
}

function toOfferedTool(tool: unknown): OfferedTool[] {
  const name = textAt(tool, "name");
  if (name === null) return [];
  return [{ name, parameters: keysAt(tool, "input_schema", "properties"), isFreeText: false }];
}

function toolResults(message: unknown): string[] {
  return listAt(message, "content")
    .filter((block) => valueAt(block, "type") === "tool_result")
    .map((block) => blockTexts(valueAt(block, "content")).join("\n"));
}

function start(id: string, model: string, usage: TokenUsage): string {
  const opening = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  return toEvent({ type: "message_start", message: { ...opening, usage: { ...inputUsage(usage), output_tokens: 1 } } }, "message_start");
}

function thinkingBlock(thinking: string | null): string {
  if (thinking === null) return "";
  return (
    blockStart(0, { type: "thinking", thinking: "", signature: "" }) +
    blockDelta(0, { type: "thinking_delta", thinking }) +
    blockDelta(0, { type: "signature_delta", signature: "c2lnbmF0dXJl" }) +
    blockStop(0)
  );
}

function prefaceBlock(text: string | null): string {
  if (text === null) return "";
  return blockStart(0, { type: "text", text: "" }) + blockDelta(0, { type: "text_delta", text }) + blockStop(0);
}

const blockStart = (index: number, block: unknown): string =>
  toEvent({ type: "content_block_start", index, content_block: block }, "content_block_start");

const blockDelta = (index: number, delta: unknown): string =>
  toEvent({ type: "content_block_delta", index, delta }, "content_block_delta");

const blockStop = (index: number): string => toEvent({ type: "content_block_stop", index }, "content_block_stop");

function end(stopReason: string, usage: TokenUsage): string {
  const delta = { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: usage.outputTokens } };
  return toEvent(delta, "message_delta") + toEvent({ type: "message_stop" }, "message_stop");
}

function toolUse(answer: CallToSend): Record<string, unknown> {
  return { type: "tool_use", id: `toolu_${answer.id}`, name: answer.call.name, input: answer.call.input };
}

function thinkingContent(answer: TextToSend): unknown[] {
  return answer.thinking === null ? [] : [{ type: "thinking", thinking: answer.thinking, signature: "c2lnbmF0dXJl" }];
}

function prefaceContent(text: string | null): unknown[] {
  return text === null ? [] : [{ type: "text", text }];
}

function message(answer: TextToSend | CallToSend, content: unknown[], stopReason: string): unknown {
  const usage = { ...inputUsage(answer.usage), output_tokens: answer.usage.outputTokens };
  return { id: `msg_${answer.id}`, type: "message", role: "assistant", model: answer.model, content, stop_reason: stopReason, stop_sequence: null, usage };
}

function inputUsage(usage: TokenUsage): Record<string, number> {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInputTokens,
  };
}

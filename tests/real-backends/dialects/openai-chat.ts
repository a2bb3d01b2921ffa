import type { TokenUsage } from "../model-answer.js";
import { keysAt, listAt, textAt, valueAt } from "../json-value.js";
import { type OfferedTool, stripWrapping } from "../model-request.js";
import { type CallToSend, type DialectFormat, type TextToSend, toEvent } from "./dialect.js";

/** The Chat Completions API of OpenAI, as copilot speaks it to a provider of the user's own. */
export const openaiChat: DialectFormat = {
  dialect: "openai-chat",
  parseRequest(body) {
    const messages = listAt(body, "messages");
    const promptIndex = messages.findLastIndex((message) => valueAt(message, "role") === "user");
    const rawPrompt = contentText(messages[promptIndex]);
    return {
      prompt: stripWrapping(rawPrompt),
      rawPrompt,
      system: messages.filter(isSystemMessage).map(contentText).join("\n"),
      model: textAt(body, "model"),
      effort: textAt(body, "reasoning_effort") ?? textAt(body, "reasoning", "effort"),
      tools: listAt(body, "tools").flatMap(toOfferedTool),
      toolResults: messages.slice(promptIndex).filter((message) => valueAt(message, "role") === "tool").map(contentText),
      stream: valueAt(body, "stream") === true,
    };
  },
  textStream(answer) {
    return {
      head: chunk(answer, { role: "assistant", content: "" }, null) + thinkingChunk(answer),
      deltas: answer.pieces.map((content) => chunk(answer, { content }, null)),
      tail: chunk(answer, {}, "stop") + usageChunk(answer) + toEvent("[DONE]"),
    };
  },
  toolStream(answer) {
    const [call] = toolCalls(answer);
    return [
      chunk(answer, { role: "assistant", content: answer.text }, null),
      chunk(answer, { tool_calls: [{ index: 0, ...call }] }, null),
      chunk(answer, {}, "tool_calls") + usageChunk(answer) + toEvent("[DONE]"),
    ];
  },
  textBody: (answer) => completion(answer, { role: "assistant", content: answer.text }, "stop"),
  toolBody: (answer) => completion(answer, { role: "assistant", content: answer.text, tool_calls: toolCalls(answer) }, "tool_calls"),
};

const isSystemMessage = (message: unknown): boolean => ["system", "developer"].includes(textAt(message, "role") ?? "");

function contentText(message: unknown): string {
  const content = valueAt(message, "content");
  if (typeof content === "string") return content;
  return listAt(content).flatMap((part) => textAt(part, "text") ?? []).join("\n");
}

function toOfferedTool(tool: unknown): OfferedTool[] {
  const name = textAt(tool, "function", "name") ?? textAt(tool, "custom", "name");
  if (name === null) return [];
  const parameters = keysAt(tool, "function", "parameters", "properties");
  return [{ name, parameters, isFreeText: valueAt(tool, "type") === "custom" }];
}

function chunk(answer: TextToSend | CallToSend, delta: unknown, finishReason: string | null): string {
  return toEvent({ ...envelope(answer, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

function thinkingChunk(answer: TextToSend): string {
  return answer.thinking === null ? "" : chunk(answer, { reasoning_content: answer.thinking }, null);
}

function usageChunk(answer: TextToSend | CallToSend): string {
  return toEvent({ ...envelope(answer, "chat.completion.chunk"), choices: [], usage: toUsage(answer.usage) });
}

function toolCalls(answer: CallToSend): Record<string, unknown>[] {
  const { name, input } = answer.call;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  if (answer.isFreeText) return [{ id: `call_${answer.id}`, type: "custom", custom: { name, input: text } }];
  const json = typeof input === "string" ? JSON.stringify({ input }) : text;
  return [{ id: `call_${answer.id}`, type: "function", function: { name, arguments: json } }];
}

function completion(answer: TextToSend | CallToSend, message: unknown, finishReason: string): unknown {
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  return { ...envelope(answer, "chat.completion"), choices, usage: toUsage(answer.usage) };
}

function envelope(answer: TextToSend | CallToSend, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${answer.id}`, object, created: Math.floor(Date.now() / 1000), model: answer.model };
}

function toUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.inputTokens + usage.cachedInputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.cachedInputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  };
}

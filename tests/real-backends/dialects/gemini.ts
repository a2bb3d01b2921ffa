import type { TokenUsage } from "../model-answer.js";
import { keysAt, listAt, textAt, valueAt } from "../json-value.js";
import type { OfferedTool } from "../model-request.js";
import { type CallToSend, type DialectFormat, type TextToSend, toEvent } from "./dialect.js";

/**
 * The generateContent API of Google, as gemini speaks it (https://ai.google.dev/api/generate-content). The model and
 * whether to stream stand in the path of the request, not in its body.
 */
export const gemini: DialectFormat = {
  dialect: "gemini",
  parseRequest(body, path) {
    const contents = listAt(body, "contents");
    const promptIndex = contents.findLastIndex(isPrompt);
    const rawPrompt = contentTexts(contents[promptIndex]).join("\n");
    return {
      prompt: contentTexts(contents[promptIndex]).filter(isNoReminder).join("\n"),
      rawPrompt,
      system: contentTexts(valueAt(body, "systemInstruction")).join("\n"),
      model: MODEL_CALL.exec(path)?.[1] ?? null,
      effort: textAt(body, "generationConfig", "thinkingConfig", "thinkingLevel"),
      tools: listAt(body, "tools").flatMap((group) => listAt(group, "functionDeclarations")).flatMap(toOfferedTool),
      toolResults: contents.slice(promptIndex + 1).flatMap(toolResults),
      stream: MODEL_CALL.exec(path)?.[2] === "streamGenerateContent",
    };
  },
  textStream(answer) {
    return {
      head: answer.thinking === null ? "" : toEvent(response(answer, [{ text: answer.thinking, thought: true }])),
      deltas: answer.pieces.map((text) => toEvent(response(answer, [{ text }]))),
      tail: toEvent({ ...response(answer, [{ text: "" }], "STOP"), usageMetadata: toUsage(answer.usage) }),
    };
  },
  toolStream: (answer) => [toEvent({ ...response(answer, callParts(answer), "STOP"), usageMetadata: toUsage(answer.usage) })],
  textBody: (answer) => ({ ...response(answer, [{ text: answer.text }], "STOP"), usageMetadata: toUsage(answer.usage) }),
  toolBody: (answer) => ({ ...response(answer, callParts(answer), "STOP"), usageMetadata: toUsage(answer.usage) }),
};

/** `/v1beta/models/MODEL:METHOD`, for the two methods that are calls of the model. */
export const MODEL_CALL = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** A user's turn that holds words; results of tools come in the user's name too. */
function isPrompt(content: unknown): boolean {
  return valueAt(content, "role") === "user" && contentTexts(content).length > 0;
}

const isNoReminder = (text: string): boolean => !text.startsWith("<session_context>");

function contentTexts(content: unknown): string[] {
  return listAt(content, "parts").flatMap((part) => textAt(part, "text") ?? []);
}

function toOfferedTool(declaration: unknown): OfferedTool[] {
  const name = textAt(declaration, "name");
  if (name === null) return [];
  const parameters = [...keysAt(declaration, "parametersJsonSchema", "properties"), ...keysAt(declaration, "parameters", "properties")];
  return [{ name, parameters, isFreeText: false }];
}

function toolResults(content: unknown): string[] {
  return listAt(content, "parts").flatMap((part) => {
    const result = valueAt(part, "functionResponse", "response");
    return result === undefined ? [] : [textAt(result, "output") ?? textAt(result, "error") ?? JSON.stringify(result)];
  });
}

function response(answer: TextToSend | CallToSend, parts: readonly unknown[], finishReason?: string): Record<string, unknown> {
  const candidate = { index: 0, content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) };
  return { candidates: [candidate], modelVersion: answer.model, responseId: answer.id };
}

function callParts(answer: CallToSend): unknown[] {
  const call = { functionCall: { id: answer.id, name: answer.call.name, args: answer.call.input } };
  return answer.text === null ? [call] : [{ text: answer.text }, call];
}

function toUsage(usage: TokenUsage): Record<string, number> {
  const prompt = usage.inputTokens + usage.cachedInputTokens;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.outputTokens,
    cachedContentTokenCount: usage.cachedInputTokens,
    totalTokenCount: prompt + usage.outputTokens,
  };
}

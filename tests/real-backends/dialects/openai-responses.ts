import type { TokenUsage } from "../model-answer.js";
import { keysAt, listAt, textAt, valueAt } from "../json-value.js";
import { type OfferedTool, stripWrapping } from "../model-request.js";
import { type CallToSend, type DialectFormat, type TextToSend, toEvent } from "./dialect.js";

/** The Responses API of OpenAI, as codex speaks it. */
export const openaiResponses: DialectFormat = {
  dialect: "openai-responses",
  parseRequest(body) {
    const input = listAt(body, "input");
    const promptIndex = input.findLastIndex((item) => valueAt(item, "role") === "user");
    const rawPrompt = itemText(input[promptIndex]);
    return {
      prompt: stripWrapping(rawPrompt),
      rawPrompt,
      system: [textAt(body, "instructions") ?? "", ...input.filter(isDeveloperItem).map(itemText)].join("\n"),
      model: textAt(body, "model"),
      effort: textAt(body, "reasoning", "effort"),
      tools: listAt(body, "tools").flatMap(toOfferedTools),
      toolResults: input.slice(promptIndex).filter(isToolOutput).map(outputText),
      stream: valueAt(body, "stream") === true,
    };
  },
  textStream(answer) {
    const place = { item_id: `msg_${answer.id}`, output_index: 0, content_index: 0 };
    return {
      head:
        created(answer) +
        reasoningEvents(answer) +
        event("response.output_item.added", { output_index: 0, item: { ...textItem(answer), status: "in_progress", content: [] } }) +
        event("response.content_part.added", { ...place, part: { type: "output_text", text: "", annotations: [] } }),
      deltas: answer.pieces.map((delta) => event("response.output_text.delta", { ...place, delta })),
      tail:
        event("response.output_text.done", { ...place, text: answer.text }) +
        event("response.output_item.done", { output_index: 0, item: textItem(answer) }) +
        completed(answer, [textItem(answer)]),
    };
  },
  toolStream(answer) {
    const items = [...prefaceItems(answer), callItem(answer)];
    return [
      created(answer),
      ...items.flatMap((item, index) => [
        event("response.output_item.added", { output_index: index, item }),
        event("response.output_item.done", { output_index: index, item }),
      ]),
      completed(answer, items),
    ];
  },
  textBody: (answer) => response(answer, "completed", [textItem(answer)]),
  toolBody: (answer) => response(answer, "completed", [...prefaceItems(answer), callItem(answer)]),
};

const TOOL_OUTPUTS: ReadonlySet<unknown> = new Set(["function_call_output", "custom_tool_call_output", "local_shell_call_output"]);

const isToolOutput = (item: unknown): boolean => TOOL_OUTPUTS.has(valueAt(item, "type"));

const isDeveloperItem = (item: unknown): boolean => ["developer", "system"].includes(textAt(item, "role") ?? "");

function itemText(item: unknown): string {
  const content = valueAt(item, "content");
  if (typeof content === "string") return content;
  return listAt(content).flatMap((part) => textAt(part, "text") ?? []).join("\n");
}

function outputText(item: unknown): string {
  const output = valueAt(item, "output");
  if (typeof output === "string") return output;
  return listAt(output).flatMap((part) => textAt(part, "text") ?? []).join("\n");
}

function toOfferedTools(tool: unknown): OfferedTool[] {
  // Tools of one subject may be grouped in a namespace with a list of its own.
  const nested = listAt(tool, "tools").flatMap(toOfferedTools);
  const name = textAt(tool, "name") ?? textAt(tool, "type");
  if (name === null) return nested;
  const parameters = keysAt(tool, "parameters", "properties");
  return [{ name, parameters, isFreeText: valueAt(tool, "type") === "custom" }, ...nested];
}

let sequence = 0;

function event(type: string, fields: Record<string, unknown>): string {
  sequence += 1;
  return toEvent({ type, sequence_number: sequence, ...fields }, type);
}

function created(answer: TextToSend | CallToSend): string {
  return (
    event("response.created", { response: response(answer, "in_progress", []) }) +
    event("response.in_progress", { response: response(answer, "in_progress", []) })
  );
}

function reasoningEvents(answer: TextToSend): string {
  if (answer.thinking === null) return "";
  const item = { type: "reasoning", id: `rs_${answer.id}`, summary: [{ type: "summary_text", text: answer.thinking }] };
  return (
    event("response.output_item.added", { output_index: 0, item: { ...item, summary: [] } }) +
    event("response.reasoning_summary_text.delta", { item_id: item.id, output_index: 0, summary_index: 0, delta: answer.thinking }) +
    event("response.output_item.done", { output_index: 0, item })
  );
}

function textItem(answer: TextToSend): Record<string, unknown> {
  const content = [{ type: "output_text", text: answer.text, annotations: [] }];
  return { type: "message", id: `msg_${answer.id}`, role: "assistant", status: "completed", content };
}

function prefaceItems(answer: CallToSend): unknown[] {
  if (answer.text === null) return [];
  const content = [{ type: "output_text", text: answer.text, annotations: [] }];
  return [{ type: "message", id: `msg_${answer.id}`, role: "assistant", status: "completed", content }];
}

function callItem(answer: CallToSend): Record<string, unknown> {
  const call = { id: `fc_${answer.id}`, call_id: `call_${answer.id}`, name: answer.call.name, status: "completed" };
  const { input, namespace } = answer.call;
  if (answer.isFreeText) return { type: "custom_tool_call", ...call, input: typeof input === "string" ? input : JSON.stringify(input) };
  const group = namespace === undefined ? {} : { namespace };
  return { type: "function_call", ...call, ...group, arguments: JSON.stringify(typeof input === "string" ? { input } : input) };
}

function completed(answer: TextToSend | CallToSend, output: unknown[]): string {
  return event("response.completed", { response: response(answer, "completed", output) });
}

function response(answer: TextToSend | CallToSend, status: string, output: unknown[]): Record<string, unknown> {
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    model: answer.model,
    output,
    usage: status === "completed" ? toUsage(answer.usage) : null,
  };
}

function toUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens + usage.cachedInputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.inputTokens + usage.cachedInputTokens + usage.outputTokens,
  };
}

import type { RunEvent } from "../events/schema.js";
import type { LazyRedactor } from "../sinks/lazy-redactor.js";

/**
 * An event as it may be shown: what others said beside the answer shows no credential, as in a one-shot run. The result is
 * without any already. @param redactor absent: it is shown as it came.
 */
export async function redactEvent(event: RunEvent, redactor: LazyRedactor | undefined): Promise<RunEvent> {
  if (redactor === undefined) return event;
  switch (event.type) {
    case "tool_call":
      return { ...event, title: await redactor.redactText(event.title), rawInput: await redactor.redactJson(event.rawInput) };
    case "tool_call_update": {
      const content = event.content.map(async ({ type, content: part }) => ({ type, content: { ...part, text: await redactor.redactText(part.text) } }));
      return { ...event, content: await Promise.all(content), rawOutput: await redactor.redactJson(event.rawOutput) };
    }
    case "warning":
      return { ...event, message: await redactor.redactText(event.message) };
    default:
      return event;
  }
}

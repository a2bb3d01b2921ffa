import { listAt, textAt } from "./json-value.js";
import type { ToolAnswer } from "./model-answer.js";
import type { ModelRequest } from "./model-request.js";

/** A call of an MCP server's tool by the name under which the backend offers it to the model. */
export function callMcpTool({ body, tools }: ModelRequest, tool: string): ToolAnswer {
  // codex puts the tools of a server into a group, and leaves no dash in their names.
  const grouped = tool.replaceAll("-", "_");
  const group = listAt(body, "tools").find((each) => listAt(each, "tools").some((inner) => textAt(inner, "name") === grouped));
  if (group !== undefined) return { kind: "tool", call: { name: grouped, namespace: textAt(group, "name") ?? "", input: {} } };
  const offered = tools.find(({ name }) => name.endsWith(tool));
  if (offered === undefined) throw new Error(`no tool of the name ${tool} is offered, but ${tools.map(({ name }) => name).join(", ")}`);
  return { kind: "tool", call: { name: offered.name, input: {} } };
}

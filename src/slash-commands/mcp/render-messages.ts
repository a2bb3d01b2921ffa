import { isUtf8 } from "node:buffer";
import type { ContentBlock, PromptMessage } from "@modelcontextprotocol/client";
import { CommandFailure } from "../command-failure.js";

/**
 * The messages of a prompt as one text: all of them, in order, with the text of embedded resources. Who speaks is told
 * where more than the user does. What is no text (images, audio, binary resources) cannot be handed to a backend as a
 * prompt and is refused by name, rather than left out.
 */
export function renderMessages(messages: readonly PromptMessage[], label: string): string {
  const isDialogue = messages.some((message) => message.role !== "user");
  return messages.map(({ role, content }) => `${isDialogue ? `[${role}]\n` : ""}${renderContent(content, label)}`).join("\n\n");
}

function renderContent(content: ContentBlock, label: string): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource":
      return renderResource(content.resource, label);
    case "resource_link":
      return `<resource_link uri=${JSON.stringify(content.uri)} name=${JSON.stringify(content.name)}>${content.description ?? ""}</resource_link>`;
    case "image":
    case "audio":
      throw new CommandFailure("invalid-data", `${label} holds ${content.type === "image" ? "an image" : "audio"} (${content.mimeType}), and a backend gets text only`);
    default:
      return content satisfies never;
  }
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

function renderResource(resource: Resource, label: string): string {
  const text = "text" in resource ? resource.text : decodeText(resource);
  if (text === null) {
    throw new CommandFailure("invalid-data", `${label} holds the binary resource ${resource.uri} (${resource.mimeType ?? "of unknown type"}), and a backend gets text only`);
  }
  return `<resource uri=${JSON.stringify(resource.uri)}>\n${text}\n</resource>`;
}

/** Text that a server sends in Base64 is text all the same. */
function decodeText({ blob, mimeType = "" }: Extract<Resource, { blob: string }>): string | null {
  const bytes = Buffer.from(blob, "base64");
  return /^text\/|json|xml/u.test(mimeType) && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : null;
}

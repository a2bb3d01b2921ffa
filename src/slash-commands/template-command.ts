import fs from "node:fs";
import path from "node:path";
import { expandTemplate } from "./expand.js";
import type { CommandAction, CommandContext, CommandTemplate, SubmitPrompt } from "./types.js";

/** The action of a command that a file describes: expands it, and says what the file asks for. */
export function toTemplateAction(template: CommandTemplate): CommandAction {
  return (context) => submitTemplate(template, context);
}

async function submitTemplate(template: CommandTemplate, context: CommandContext): Promise<SubmitPrompt> {
  const { invocation, config, settings, abortSignal } = context;
  const { text, notices } = await expandTemplate({ template, invocation, config, settings, signal: abortSignal });
  const isWithheld = !template.trusted && template.allowedTools !== null;
  return {
    type: "submit_prompt",
    prompt: template.form === "skill" ? withFolder(text, template) : text,
    allowedTools: isWithheld ? null : template.allowedTools,
    disallowedTools: template.disallowedTools,
    model: template.model,
    notices: isWithheld ? [...notices, describeWithheld(template, invocation.name)] : notices,
  };
}

/** A skill may speak of its own scripts and papers: the model must know where they lie. */
function withFolder(text: string, { filePath }: CommandTemplate): string {
  const folder = path.dirname(filePath);
  return hasMoreFiles(folder, path.basename(filePath)) ? `${text}\n\nThe files that belong to these instructions lie in ${folder}.` : text;
}

function hasMoreFiles(folder: string, ownName: string): boolean {
  try {
    return fs.readdirSync(folder).some((name) => name !== ownName && !name.startsWith("."));
  } catch {
    // taken away since it was read: its text stands all the same
    return false;
  }
}

function describeWithheld(template: CommandTemplate, name: string): string {
  return `/${name} asks for the tools ${(template.allowedTools ?? []).join(", ")}; they are not allowed because ${template.filePath} lies in a folder that is not trusted (see \`jlgcli trust\`)`;
}

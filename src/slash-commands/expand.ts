import path from "node:path";
import { CommandFailure } from "./command-failure.js";
import { DEFAULT_SETTINGS, type SlashCommandConfig, type SlashCommandSettings } from "./config.js";
import type { ArgumentRef, Binding } from "./dialects/dialect.js";
import { findDialect } from "./dialects/find-dialect.js";
import { readFileBlock } from "./file-block.js";
import { parseTemplate, type FileNode, type ShellNode, type TemplateNode, type ValueNode } from "./parse-template.js";
import { runShellBlock } from "./shell-block.js";
import type { CommandInvocation, CommandTemplate } from "./types.js";
import { findWorkspaceRoot } from "./workspace.js";

export interface ExpandRequest {
  readonly template: CommandTemplate;
  readonly invocation: CommandInvocation;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly signal: AbortSignal;
}

export interface Expansion {
  readonly text: string;
  readonly notices: readonly string[];
}

/**
 * The text a command stands for. One pass: what is put in (arguments, output, files) is never scanned for places again.
 * Missing arguments and forbidden blocks fail before anything runs. Throws `CommandFailure`.
 */
export async function expandTemplate(request: ExpandRequest): Promise<Expansion> {
  const dialect = findDialect(request.template);
  const nodes = parseTemplate(request.template, dialect);
  const binding = dialect.bind({
    args: request.invocation.args,
    raw: request.invocation.raw,
    label: `/${request.invocation.name}`,
    refs: nodes.flatMap(refsOf),
    template: request.template,
    variables: variablesOf(request),
  });
  refuseForbiddenShell(nodes, request);
  const parts = await evaluateInOrder(nodes, binding, request);
  const attachments = [...new Set(parts.flatMap((part) => part.attachment ?? []))];
  const text = [binding.appendTo(parts.map((part) => part.text).join("")), ...attachments].join("\n\n");
  return { text, notices: [...(binding.notices ?? []), ...parts.flatMap((part) => part.notices ?? [])] };
}

interface Part {
  readonly text: string;
  /** Stands at the end of the prompt, once. */
  readonly attachment?: string;
  readonly notices?: readonly string[];
}

/** One after the other: shell blocks of a file may build on each other. */
async function evaluateInOrder(nodes: readonly TemplateNode[], binding: Binding, request: ExpandRequest): Promise<Part[]> {
  const parts: Part[] = [];
  for (const node of nodes) parts.push(await evaluate(node, binding, request));
  return parts;
}

async function evaluate(node: TemplateNode, binding: Binding, request: ExpandRequest): Promise<Part> {
  switch (node.type) {
    case "text":
    case "argument":
      return { text: textOf(node, binding) };
    case "shell":
      return { text: await shellText(node, binding, request) };
    case "file":
      return filePart(node, binding, request);
    default:
      return node satisfies never;
  }
}

function textOf(node: ValueNode, binding: Binding): string {
  return node.type === "text" ? node.text : (binding.valueOf(node.ref) ?? node.raw);
}

function refsOf(node: TemplateNode): ArgumentRef[] {
  if (node.type === "argument") return [node.ref];
  if (node.type === "shell") return node.script.flatMap(refsOf);
  return node.type === "file" ? node.path.flatMap(refsOf) : [];
}

function variablesOf({ template, config }: ExpandRequest): Record<string, string> {
  const root = findWorkspaceRoot(config.cwd);
  return {
    CLAUDE_PROJECT_DIR: root,
    CLAUDE_SKILL_DIR: path.dirname(template.filePath),
    ...(template.extensionPath === null ? {} : { CLAUDE_PLUGIN_ROOT: template.extensionPath }),
    workspaceFolder: root,
    workspaceFolderBasename: path.basename(root),
  };
}

async function shellText(node: ShellNode, binding: Binding, request: ExpandRequest): Promise<string> {
  if (request.settings.shellBlocks === "show") return node.raw;
  return runShellBlock({ node, binding, config: request.config, settings: request.settings, signal: request.signal, label: `/${request.invocation.name}` });
}

type ShellRequest = Pick<ExpandRequest, "template" | "settings" | "invocation">;

function refuseForbiddenShell(nodes: readonly TemplateNode[], { template, settings, invocation }: ShellRequest): void {
  const block = nodes.find((node) => node.type === "shell");
  if (block === undefined || settings.shellBlocks === "show") return;
  const label = `/${invocation.name}`;
  const place = `${label} runs a shell block (${describeBlock(block.raw)} in ${template.filePath})`;
  if (!template.trusted) {
    throw new CommandFailure("usage", `${place}, but its folder is not trusted`, "read the file, then trust the folder with `jlgcli trust`");
  }
  if ((settings.shellBlocks ?? DEFAULT_SETTINGS.shellBlocks) === "off") {
    throw new CommandFailure("usage", `${place}, and shell blocks are off`, "allow them for this run with --allow-shell");
  }
  refuseOtherShell({ template, settings, invocation });
}

function refuseOtherShell({ template, invocation }: ShellRequest): void {
  if (template.shell === null || POSIX_SHELLS.has(template.shell)) return;
  throw new CommandFailure("usage", `/${invocation.name}: ${template.filePath} is written for ${template.shell}, shell blocks run in sh`);
}

const POSIX_SHELLS: ReadonlySet<string> = new Set(["sh", "bash"]);

function describeBlock(raw: string): string {
  const line = raw.replace(/\s+/gu, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

async function filePart(node: FileNode, binding: Binding, { config, settings, invocation }: ExpandRequest): Promise<Part> {
  const typed = node.path.map((part) => textOf(part, binding)).join("");
  const limitBytes = settings.fileLimitBytes ?? DEFAULT_SETTINGS.fileLimitBytes;
  const block = await readFileBlock({ typed, cwd: config.cwd, limitBytes, label: `/${invocation.name}`, isRequired: node.style === "content" });
  if (block.type === "absent") return node.style === "content" ? { text: node.raw, notices: [block.notice] } : { text: `@${typed}` };
  if (block.type === "unusable") return { text: typed, notices: [block.notice] };
  return node.style === "content" ? { text: block.content } : { text: typed, attachment: describeAttachment(typed, block.content) };
}

function describeAttachment(typed: string, content: string): string {
  return `<file path=${JSON.stringify(typed)}>\n${content.replace(/\n?$/u, "\n")}</file>`;
}

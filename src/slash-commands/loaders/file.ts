import path from "node:path";
import { isUtf8 } from "node:buffer";
import { isWithin, toRealPath } from "../../config/real-path.js";
import { listCommandPlaces, type CommandPlace } from "../command-places.js";
import { listExtensionPlaces } from "../extension-places.js";
import { toOneLine, type CommandFields } from "../front-matter-fields.js";
import { normaliseText, parseMarkdownCommand, parseTomlCommand, type FileParsers, type ParsedCommandFile } from "../parse-command-file.js";
import { readRegularFile } from "../read-regular-file.js";
import { LINK_OUT, scanFolder, type FoundFile } from "../scan-folder.js";
import { toTemplateAction } from "../template-command.js";
import { CommandKind, type CommandLoader, type CommandProblem, type CommandSource, type CommandTemplate, type SlashCommand } from "../types.js";
import { findWorkspaceRoot } from "../workspace.js";

export interface FileCommandLoaderOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent: no folder is trusted. */
  readonly isTrusted?: ((folder: string) => boolean | Promise<boolean>) | undefined;
  /** Absent: every place of the project, the user, and installed extensions. */
  readonly places?: readonly CommandPlace[];
  /** Absent: told from the place. */
  readonly source?: CommandSource;
  readonly sourceLabel?: string;
}

/** A prompt longer than this is no prompt; it also bounds what a hostile folder can make us read. */
const FILE_LIMIT_BYTES = 1024 * 1024;

/**
 * Commands and skills that lie on disk, in every folder where people keep them. A file that cannot be loaded becomes a
 * problem with its path, line and reason. Files of a project that is not trusted are text and nothing more: they run
 * nothing, are granted nothing, and must really lie inside of the project (clarifications/013-untrusted-commands.md).
 */
export class FileCommandLoader implements CommandLoader {
  readonly label = "command files";
  private found: CommandProblem[] = [];

  constructor(private readonly options: FileCommandLoaderOptions) {}

  async loadCommands(signal: AbortSignal): Promise<readonly SlashCommand[]> {
    this.found = [];
    const { cwd, env } = this.options;
    const places = this.options.places ?? [...listCommandPlaces(cwd, env), ...listExtensionPlaces(cwd, env)];
    const trust = await this.readTrust(places);
    const workspace = toRealPath(findWorkspaceRoot(cwd));
    const files = places.flatMap((place) => (signal.aborted ? [] : this.readPlace(place, trust.get(place.projectFolder) === false ? workspace : null)));
    const firstLook = files.map((read) => ({ read, parsed: parseFile(read, {}) }));
    const parsers = await loadParsers(firstLook.map(({ parsed }) => parsed));
    const found = firstLook.flatMap(({ read, parsed }) => {
      const commands = this.toCommand(read, parsed.type === "needs" ? parseFile(read, parsers) : parsed);
      return commands.map((command) => ({ command, realPath: read.file.realPath }));
    });
    return withoutTwins(found);
  }

  problems(): readonly CommandProblem[] {
    return this.found;
  }

  private async readTrust(places: readonly CommandPlace[]): Promise<Map<string | null, boolean>> {
    const folders = [...new Set(places.map((place) => place.projectFolder))].filter((folder) => folder !== null);
    const { isTrusted } = this.options;
    return new Map(await Promise.all(folders.map(async (folder): Promise<[string, boolean]> => [folder, (await isTrusted?.(folder)) ?? false])));
  }

  /** `mustStayIn` is the workspace where the place is not trusted. */
  private readPlace(place: CommandPlace, mustStayIn: string | null): ReadFile[] {
    const isSkill = place.form === "skills";
    const isWanted = (name: string): boolean => (isSkill ? name === "SKILL.md" : place.endings.some((ending) => name.endsWith(ending) && name !== ending));
    const scan = scanFolder(place.folder, { isWanted, isNested: place.isNested, stopsAtFind: isSkill, ...(mustStayIn === null ? {} : { mustStayIn }) });
    for (const problem of scan.problems) this.found.push({ ...problem, line: null, commandName: null });
    return scan.files.flatMap((file) => this.readFile(file, place, mustStayIn));
  }

  private readFile(file: FoundFile, place: CommandPlace, mustStayIn: string | null): ReadFile[] {
    const name = nameOf(file, place);
    const read = readText(file, mustStayIn);
    if (name === null) this.report(file, null, "its folder or file name cannot be a command's name");
    else if (read.type === "refused") this.report(file, prefixedName(name, place), read.reason);
    else return [{ file, place, trusted: mustStayIn === null, name, text: normaliseText(read.text) }];
    return [];
  }

  private toCommand(read: ReadFile, parsed: ParsedCommandFile): SlashCommand[] {
    const { file, place } = read;
    if (parsed.type === "needs") return [];
    const commandName = prefixedName(parsed.type === "command" && place.form === "skills" ? skillName(read, parsed.fields) : read.name, place);
    for (const problem of parsed.type === "broken" ? [parsed.problem] : parsed.problems) this.found.push({ ...problem, path: file.path, commandName });
    return parsed.type === "broken" ? [] : [this.describe(read, parsed, commandName)];
  }

  private describe(read: ReadFile, { fields, description, text }: ParsedFields, name: string): SlashCommand {
    const { place, file } = read;
    const template = toTemplate(read, fields, text);
    const folderName = prefixedName(read.name, place);
    return {
      name,
      ...(place.form === "skills" && folderName !== name ? { altNames: [folderName] } : {}),
      description,
      kind: place.form === "skills" ? CommandKind.SKILL : CommandKind.FILE,
      source: this.options.source ?? (place.extension === null ? "skill-dir-command" : "plugin-command"),
      sourceLabel: this.options.sourceLabel ?? (place.extension === null ? "Custom" : `Plugin: ${toOneLine(place.extension.name)}`),
      ...(place.extension === null ? {} : { extensionName: place.extension.name }),
      commandType: "prompt",
      userInvocable: fields.userInvocable,
      modelInvocable: place.extension === null && fields.modelInvocable,
      ...(fields.argumentHint === null ? {} : { argumentHint: fields.argumentHint }),
      ...(fields.whenToUse === null ? {} : { whenToUse: fields.whenToUse }),
      scope: this.options.source === "bundled-skill" ? "bundled" : place.scope,
      qualifiedNames: qualifiedNames(name, place, this.options.source),
      template: { ...template, filePath: file.path },
      action: toTemplateAction(template),
    };
  }

  private report(file: FoundFile, commandName: string | null, reason: string): void {
    this.found.push({ severity: "error", path: file.path, line: null, reason, commandName });
  }
}

type ParsedFields = Extract<ParsedCommandFile, { type: "command" }>;

interface ReadFile {
  readonly file: FoundFile;
  readonly place: CommandPlace;
  readonly trusted: boolean;
  readonly name: string;
  readonly text: string;
}

function readText(file: FoundFile, mustStayIn: string | null): { type: "text"; text: string } | { type: "refused"; reason: string } {
  if (mustStayIn !== null && !isWithin(file.realPath, mustStayIn)) {
    return { type: "refused", reason: LINK_OUT };
  }
  try {
    const read = readRegularFile(file.realPath, FILE_LIMIT_BYTES);
    if (read.type === "refused") return read;
    const { bytes } = read;
    if (bytes.includes(0)) return { type: "refused", reason: "is binary" };
    return isUtf8(bytes) ? { type: "text", text: bytes.toString("utf8") } : { type: "refused", reason: "is not UTF-8 text" };
  } catch (error) {
    return { type: "refused", reason: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function parseFile({ file, place, text }: ReadFile, parsers: FileParsers): ParsedCommandFile {
  return file.path.endsWith(".toml") ? parseTomlCommand(text, parsers) : parseMarkdownCommand(text, place.dialect, parsers);
}

async function loadParsers(files: readonly ParsedCommandFile[]): Promise<FileParsers> {
  const needed = new Set(files.map((parsed) => (parsed.type === "needs" ? parsed.parser : null)));
  return {
    ...(needed.has("yaml") ? { yaml: await import("yaml") } : {}),
    ...(needed.has("toml") ? { toml: await import("smol-toml") } : {}),
  };
}

/** The same file under the same name counts once: `.claude/skills` is often a link to `.agents/skills`. */
function withoutTwins(found: readonly { readonly command: SlashCommand; readonly realPath: string }[]): SlashCommand[] {
  const kept = new Map<string, SlashCommand>();
  for (const { command, realPath } of found) {
    const key = `${command.name}\0${realPath}`;
    if (!kept.has(key)) kept.set(key, command);
  }
  return [...kept.values()];
}

/** `frontend/component.md` is `frontend:component`; a skill is called like its folder. Null where nothing is left. */
function nameOf(file: FoundFile, place: CommandPlace): string | null {
  const last = file.segments.at(-1) ?? "";
  const ending = place.endings.find((candidate) => last.endsWith(candidate)) ?? "";
  const parts = place.form === "skills" ? file.segments.slice(-2, -1) : [...file.segments.slice(0, -1), last.slice(0, last.length - ending.length)];
  const names = parts.map(toNamePart);
  return names.length === 0 || names.includes(null) ? null : names.join(":");
}

function toNamePart(segment: string): string | null {
  const name = segment.normalize("NFC").trim().replace(/[:/]/gu, "_").replace(/\s+/gu, "-");
  return name === "" || /[\p{Cc}\p{Cs}]/u.test(name) || name.startsWith("*") ? null : name;
}

function skillName({ name }: ReadFile, fields: CommandFields): string {
  return (fields.name === null ? null : toNamePart(fields.name)) ?? name;
}

function prefixedName(name: string, { extension }: CommandPlace): string {
  return extension?.isAlwaysPrefixed === true ? `${toNamePart(extension.name) ?? "plugin"}:${name}` : name;
}

function qualifiedNames(name: string, place: CommandPlace, source: CommandSource | undefined): string[] {
  if (source === "bundled-skill") return [`bundled:${name}`];
  if (place.extension !== null) return place.extension.isAlwaysPrefixed ? [name] : [`${toNamePart(place.extension.name) ?? "extension"}:${name}`];
  // the name under which Codex called its prompts
  const codexName = place.dialect === "codex" ? [`prompts:${name}`] : [];
  const form = place.form === "skills" ? "skill" : "command";
  return [`${place.scope}:${name}`, `${place.scope}:${place.owner}:${name}`, `${place.scope}:${place.owner}:${form}:${name}`, ...codexName];
}

function toTemplate({ file, place, trusted }: ReadFile, fields: CommandFields, text: string): CommandTemplate {
  return {
    dialect: place.dialect,
    form: place.form === "skills" ? "skill" : path.extname(file.path) === ".toml" ? "toml" : "markdown",
    filePath: file.path,
    text,
    argumentNames: fields.argumentNames,
    allowedTools: fields.allowedTools,
    disallowedTools: fields.disallowedTools,
    model: fields.model,
    shell: fields.shell,
    extensionPath: place.extension?.folder ?? null,
    trusted,
  };
}

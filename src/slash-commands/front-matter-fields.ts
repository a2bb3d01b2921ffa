/** The fields of a front matter that jlgcli understands, whichever vendor's name they go by. */
export interface CommandFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly argumentHint: string | null;
  readonly whenToUse: string | null;
  readonly argumentNames: readonly string[];
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  readonly model: string | null;
  readonly shell: string | null;
}

export interface FieldProblem {
  readonly severity: "error" | "warning";
  readonly field: string;
  readonly reason: string;
}

export interface ReadFields {
  readonly fields: CommandFields;
  readonly problems: readonly FieldProblem[];
}

/**
 * Reads the known fields and checks their types. Unknown ones are left alone. A restriction that cannot be read counts as
 * given (the command is closed to the model, or to people); a grant that cannot be read counts as not given; a list of
 * forbidden tools that cannot be read is an error, since nothing can stand in for it.
 */
export function readFields(fields: Readonly<Record<string, unknown>>, source: string): ReadFields {
  const problems: FieldProblem[] = [];
  const reader = new FieldReader(fields, source, problems);
  const read: CommandFields = {
    name: reader.text("name"),
    description: reader.text("description"),
    argumentHint: reader.text("argument-hint", "argument_hint"),
    whenToUse: reader.text("when_to_use", "when-to-use"),
    argumentNames: reader.words("arguments"),
    userInvocable: reader.flag("user-invocable", { absent: true, unreadable: false }),
    modelInvocable: !reader.flag("disable-model-invocation", { absent: false, unreadable: true }),
    allowedTools: reader.tools("warning", "allowed-tools", "allowedTools", "tools"),
    disallowedTools: reader.tools("error", "disallowed-tools", "disallowedTools"),
    model: reader.model(),
    shell: reader.text("shell"),
  };
  if (fields["hooks"] !== undefined) problems.push({ severity: "warning", field: "hooks", reason: "hooks are not run" });
  return { fields: read, problems };
}

/** A map: the words come from a file, and an object would know `constructor` too. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);

class FieldReader {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly source: string,
    private readonly problems: FieldProblem[],
  ) {}

  text(...names: readonly string[]): string | null {
    const [name, value] = this.find(names);
    if (value === undefined || value === null) return null;
    const text = typeof value === "string" ? value : (this.writtenValue(name) ?? flatten(value).join(" "));
    return text.trim() === "" ? null : toOneLine(text);
  }

  words(name: string): readonly string[] {
    const value = this.fields[name];
    if (value === undefined || value === null) return [];
    const words = flatten(value).flatMap((word) => word.split(/\s+/u)).filter((word) => word !== "");
    const isNames = words.every((word) => /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(word));
    if (!isNames) this.problems.push({ severity: "warning", field: name, reason: "expected names, separated by blanks" });
    return isNames ? words : [];
  }

  flag(name: string, otherwise: { readonly absent: boolean; readonly unreadable: boolean }): boolean {
    const value = this.fields[name];
    if (value === undefined || value === null) return otherwise.absent;
    const flag = FLAGS.get(flatten(value).join(" ").trim().toLowerCase());
    if (flag === undefined) {
      this.problems.push({ severity: "warning", field: name, reason: `expected true or false, got ${JSON.stringify(value)}; ${String(otherwise.unreadable)} is assumed` });
    }
    return flag ?? otherwise.unreadable;
  }

  tools(severity: FieldProblem["severity"], ...names: readonly string[]): readonly string[] | null {
    const [name, value] = this.find(names);
    if (value === undefined || value === null) return null;
    if (typeof value === "string") return splitTools(value);
    if (Array.isArray(value) && value.every((tool) => typeof tool === "string")) return value;
    this.problems.push({ severity, field: name, reason: `expected a list of tools, got ${JSON.stringify(value)}` });
    return null;
  }

  model(): string | null {
    const model = this.text("model");
    return model === "inherit" ? null : model;
  }

  private find(names: readonly string[]): [string, unknown] {
    const name = names.find((candidate) => this.fields[candidate] !== undefined) ?? names[0] ?? "";
    return [name, this.fields[name]];
  }

  /** The value as it is written, where it stands on one line. */
  private writtenValue(name: string): string | null {
    const line = this.source.split("\n").find((candidate) => candidate.startsWith(`${name}:`));
    if (line === undefined) return null;
    const comment = line.search(/\s#/u);
    const value = line.slice(name.length + 1, comment === -1 ? undefined : comment).trim();
    return value === "" ? null : value;
  }
}

/** `Bash(git add:*), Read Write`: commas and blanks separate, but not inside of brackets. */
function splitTools(text: string): string[] {
  const tools = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth <= 0 && /[\s,]/u.test(character)) tools.push("");
    else tools.push((tools.pop() ?? "") + character);
  }
  return tools.filter((tool) => tool !== "");
}

function flatten(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(flatten);
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

/** For listings on a terminal: no control characters, one line. */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cf}/gu, "").replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

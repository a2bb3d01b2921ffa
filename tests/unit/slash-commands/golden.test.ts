import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as toml from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { CommandFailure } from "../../../src/slash-commands/command-failure.js";
import { expandTemplate, type Expansion } from "../../../src/slash-commands/expand.js";
import { normaliseText, parseMarkdownCommand, parseTomlCommand } from "../../../src/slash-commands/parse-command-file.js";
import { DIALECT_IDS, type CommandTemplate, type DialectId } from "../../../src/slash-commands/types.js";
import { plainSpawner } from "./plain-spawner.js";

const FIXTURES = fileURLToPath(new URL("../../fixtures/slash-commands/", import.meta.url));
const WORKSPACE = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jlgcli-golden-"))), "project");
const FORMS: Readonly<Record<string, CommandTemplate["form"]>> = {
  "command.md": "markdown",
  "command.prompt.md": "markdown",
  "command.toml": "toml",
  "SKILL.md": "skill",
};

beforeAll(() => {
  fs.cpSync(path.join(FIXTURES, "workspace"), WORKSPACE, { recursive: true });
  fs.mkdirSync(path.join(WORKSPACE, ".git"));
  fs.writeFileSync(path.join(WORKSPACE, "..", "secret.txt"), "s3cret");
});

afterAll(() => {
  fs.rmSync(path.dirname(WORKSPACE), { recursive: true });
});

describe.each(DIALECT_IDS)("a %s command", (dialect) => {
  const folder = path.join(FIXTURES, "golden", dialect);
  it.each(fs.readdirSync(folder))("%s", async (name) => {
    const caseFolder = path.join(folder, name);
    const expected = readExpected(caseFolder);
    const outcome = await expandCase(caseFolder, dialect);
    if (outcome instanceof CommandFailure) {
      expect(mask(`${outcome.status}: ${outcome.message}`, caseFolder)).toBe(expected.error);
      return;
    }
    expect(mask(outcome.text, caseFolder)).toBe(expected.text);
    expect(outcome.notices.map((notice) => mask(notice, caseFolder)).join("\n")).toBe(expected.notices ?? "");
  });
});

async function expandCase(caseFolder: string, dialect: DialectId): Promise<Expansion | CommandFailure> {
  const args = readIfThere(path.join(caseFolder, "args.txt")) ?? "";
  try {
    return await expandTemplate({
      template: readTemplate(caseFolder, dialect),
      invocation: { raw: `/cmd ${args}`.trim(), name: "cmd", args },
      config: { cwd: WORKSPACE, env: { PATH: process.env["PATH"] ?? "", HOME: "/nowhere" }, loadSpawner: () => Promise.resolve(plainSpawner) },
      settings: { shellBlocks: "run" },
      signal: new AbortController().signal,
    });
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

function readTemplate(caseFolder: string, dialect: DialectId): CommandTemplate {
  const file = fs.readdirSync(caseFolder).find((name) => name in FORMS) ?? "";
  const form = FORMS[file] ?? "markdown";
  const text = normaliseText(fs.readFileSync(path.join(caseFolder, file), "utf8"));
  const parsed = form === "toml" ? parseTomlCommand(text, { toml }) : parseMarkdownCommand(text, dialect, { yaml });
  if (parsed.type !== "command") throw new Error(`${caseFolder}: ${JSON.stringify(parsed)}`);
  return {
    dialect,
    form,
    filePath: path.join(caseFolder, file),
    text: parsed.text,
    argumentNames: parsed.fields.argumentNames,
    allowedTools: null,
    disallowedTools: null,
    model: null,
    shell: parsed.fields.shell,
    extensionPath: null,
    trusted: true,
  };
}

function readExpected(caseFolder: string): { text: string | null; error: string | null; notices: string | null } {
  const [text, error, notices] = ["expected.txt", "error.txt", "notices.txt"].map((name) => readIfThere(path.join(caseFolder, name)));
  if ((text ?? null) === null && (error ?? null) === null) throw new Error(`${caseFolder} expects nothing`);
  return { text: text ?? null, error: error ?? null, notices: notices ?? null };
}

/** A fixture's text without the new line that editors put at its end. */
function readIfThere(file: string): string | null {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").replace(/\n$/u, "") : null;
}

/** Temporary paths have no place in expectations. */
function mask(text: string, caseFolder: string): string {
  return text.replaceAll(/\S*\/command\.toml/gu, "<file>").replaceAll(caseFolder, "<command folder>").replaceAll(WORKSPACE, "<workspace>");
}

#!/usr/bin/env node
/** `npm run docs`: fills the generated parts of README.md and docs/*.md, all but the screens. `--check` fails where one is old. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { fillGeneratedParts } from "./generated-parts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What an untrusted project's file may do with a key, in words. */
const TRUST_WORDS = {
  "trusted-only": "ignored",
  "untrusted-ok": "counts",
  "lower-only": "counts where it lowers the level",
  "known-only": "counts for a built-in real backend",
};

/** What can be generated: name -> text, from the built code. */
const GENERATORS = {
  "exit-codes": renderExitCodes,
  "error-codes": renderErrorCodes,
  "config-keys": renderConfigKeys,
  backends: renderBackends,
  faults: renderFaults,
  help: renderHelp,
  events: renderEvents,
  result: renderResult,
};

// Screens need a real terminal, which is not everywhere: they have a script of their own.
await fillGeneratedParts(GENERATORS, (name) => name === "screen", "npm run docs");

async function renderExitCodes() {
  const { EXIT_TABLE } = await importBuilt("exit-codes.js");
  const rows = Object.entries(EXIT_TABLE).map(([status, { code, name, meaning }]) => [code, name, `\`${status}\``, meaning]);
  return renderTable(["code", "name", "status", "when"], rows.sort((a, b) => a[0] - b[0]));
}

async function renderErrorCodes() {
  const { ERROR_STATUSES } = await importBuilt("errors.js");
  const { EXIT_TABLE } = await importBuilt("exit-codes.js");
  const rows = Object.entries(ERROR_STATUSES).map(([code, status]) => [`\`${code}\``, `\`${status}\``, EXIT_TABLE[status].code]);
  return renderTable(["error", "status", "exit code"], rows);
}

async function renderConfigKeys() {
  const { CONFIG_KEYS, CONFIG_KEY_NAMES, variableOf } = await importBuilt("config/schema.js");
  const rows = CONFIG_KEY_NAMES.map((name) => {
    const { describe, kind, trust, default: value } = CONFIG_KEYS[name];
    return [code(name), code(variableOf(name)), kind.expected, value === undefined ? "" : code(value), TRUST_WORDS[trust], describe];
  });
  return renderTable(["key", "variable", "value", "default", "in a project that is not trusted", "meaning"], rows);
}

async function renderBackends() {
  const { BUILT_IN_RECORDS } = await importBuilt("adapters/records/index.js");
  const rows = BUILT_IN_RECORDS.map(({ id, displayName, homepage, traits, availability, options }) => [
    code(id),
    homepage === undefined ? displayName : `[${displayName}](${homepage})`,
    code(traits.command),
    code(availability?.install),
    code(availability?.login),
    describeTested(availability?.version),
    Object.keys(options?.access ?? {}).map(code).join(", "),
  ]);
  return renderTable(["id", "backend", "program", "install", "sign in", "tested", "access levels"], rows);
}

function describeTested(version) {
  return version === undefined ? "" : `from ${version.testedFrom}, below ${version.testedBelow}`;
}

/** The list that the end-to-end tests run, one table for each kind of fault. */
async function renderFaults() {
  const { importTypeScript } = await import("../tests/real-backends/import-typescript.mjs");
  const { FAULTS } = await importTypeScript("../e2e/reliability/faults.ts");
  const groups = [...new Set(FAULTS.map(({ group }) => group))];
  const tables = groups.map((group) => {
    const rows = FAULTS.filter((fault) => fault.group === group).map(({ id, what, ends, then }) => [code(id), what, ends, then]);
    return `### ${group}\n\n${renderTable(["fault", "what happens", "ends with", "and then"], rows)}`;
  });
  return tables.join("\n\n");
}

/** The help of a command as a person sees it on a terminal of 100 columns. */
async function renderHelp(command = "") {
  const args = [path.join(root, "dist/cli.cjs"), ...command.split(" ").filter(Boolean), "--help"];
  const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, COLUMNS: "100", NO_COLOR: "1", HOME: path.join(root, "nowhere") };
  return `\`\`\`text\n${execFileSync(process.execPath, args, { env, encoding: "utf8" }).trim()}\n\`\`\``;
}

/** A chapter for each event, from the published schema. */
function renderEvents() {
  const events = loadSchema("events").oneOf.filter((event) => event.properties.type.const !== "result");
  return events.map((event) => `### ${code(event.properties.type.const)}\n\n${event.description}\n\n${renderFields(event)}`).join("\n\n");
}

function renderResult() {
  return renderFields(loadSchema("result"));
}

function loadSchema(name) {
  return JSON.parse(readFileSync(path.join(root, `dist/schemas/${name}.schema.json`), "utf8"));
}

function renderFields({ properties, required = [] }) {
  const fields = Object.entries(properties).filter(([name]) => name !== "type");
  const rows = fields.flatMap(([name, schema]) => listRows(name, schema, required.includes(name)));
  return renderTable(["field", "type", "meaning"], rows);
}

/** A field, and below it the fields of an object that it holds. */
function listRows(name, schema, isRequired) {
  const forms = schema.anyOf ?? [schema];
  const inner = forms.map((form) => (form.type === "array" ? form.items : form)).find((form) => form?.type === "object");
  const prefix = forms.some((form) => form.type === "array") ? `${name}[].` : `${name}.`;
  const innerRows = Object.entries(inner?.properties ?? {}).flatMap(([key, value]) => listRows(`${prefix}${key}`, value, true));
  const type = isRequired ? describeForms(forms) : `${describeForms(forms)}, may be left out`;
  return [[code(name), type, schema.description ?? forms.map((form) => form.description).find(Boolean) ?? ""], ...innerRows];
}

function describeForms(forms) {
  return forms.map(describeForm).join(" or ");
}

function describeForm(form) {
  if (form.const !== undefined) return code(JSON.stringify(form.const));
  if (form.enum !== undefined) return `one of ${form.enum.map(code).join(", ")}`;
  if (form.type === "array") return `list of ${describeForm(form.items)}s`;
  return form.type === undefined ? "any JSON value" : [form.type].flat().join(" or ");
}

function importBuilt(file) {
  return import(new URL(`../dist/lib/${file}`, import.meta.url).href);
}

function renderTable(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

function code(value) {
  return value === undefined || value === null ? "" : `\`${value}\``;
}

function escapeCell(cell) {
  return String(cell).replaceAll("|", "\\|").replaceAll("\n", " ");
}

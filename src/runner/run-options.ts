import { ACCESS_LEVELS } from "../events/schema.js";
import type { RunOptions } from "./types.js";

const TEXT_OPTIONS = ["backend", "cwd", "model", "effort", "systemPrompt", "appendSystemPrompt", "resume", "cassette", "record", "runId", "schema"] as const;
const TIME_OPTIONS = ["timeoutMs", "idleTimeoutMs", "firstByteTimeoutMs"] as const;
const CALLBACK_OPTIONS = ["onEvent", "onAnswer"] as const;

/** Checks the types of a caller who has none. @throws TypeError that names the option and what it got. */
export function assertRunOptions(options: RunOptions): void {
  const values: unknown = options;
  if (!isObject(values)) throw new TypeError(`runOnce takes an object of options, got ${describeType(values)}`);
  assertType(values, "prompt", "a string", (value) => typeof value === "string");
  for (const name of TEXT_OPTIONS) assertOptional(values, name, "a string", (value) => typeof value === "string");
  for (const name of TIME_OPTIONS) assertOptional(values, name, "a number of milliseconds from 0", isMilliseconds);
  for (const name of CALLBACK_OPTIONS) assertOptional(values, name, "a function", (value) => typeof value === "function");
  assertOptional(values, "signal", "an AbortSignal", (value) => value instanceof AbortSignal);
  for (const name of ["env", "extraEnv"]) assertOptional(values, name, "an object of strings", isTextMap);
  assertOptional(values, "access", ACCESS_LEVELS.join(", "), (value) => ACCESS_LEVELS.some((level) => level === value));
  for (const name of ["backendArgs", "attachments", "disallowedTools"]) assertOptional(values, name, "a list of strings", isTextList);
  assertOptional(values, "mcpServers", "a list of MCP servers, each with name and type, and command, args and env, or url and headers", (value) => Array.isArray(value) && value.every(isMcpServer));
}

type Values = Readonly<Record<string, unknown>>;

function assertOptional(values: Values, name: string, expected: string, accepts: (value: unknown) => boolean): void {
  if (values[name] !== undefined) assertType(values, name, expected, accepts);
}

function assertType(values: Values, name: string, expected: string, accepts: (value: unknown) => boolean): void {
  const value = values[name];
  if (!accepts(value)) throw new TypeError(`runOnce: ${name} must be ${expected}, got ${describeType(value)}`);
}

function isMilliseconds(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMcpServer(value: unknown): boolean {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  if (value["type"] === "stdio") return typeof value["command"] === "string" && isTextList(value["args"]) && isPlainTextMap(value["env"]);
  return (value["type"] === "http" || value["type"] === "sse") && typeof value["url"] === "string" && isPlainTextMap(value["headers"]);
}

function isPlainTextMap(value: unknown): boolean {
  return isObject(value) && !Array.isArray(value) && Object.values(value).every((item) => typeof item === "string");
}

/** Variables that are not set may stand as undefined, as in `process.env`. */
function isTextMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((item) => typeof item === "string" || item === undefined);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null;
}

function describeType(value: unknown): string {
  if (value === null || Array.isArray(value)) return value === null ? "null" : "a list";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${typeof value} ${String(value)}` : typeof value;
}

import { JlgcliError } from "../errors.js";
import type { RunRequest } from "./traits.js";

const CAPABILITIES: readonly string[] = ["read", "write"];

/** Throws `RUN_REQUEST_INVALID` with everything that is wrong with a request. A caller in JavaScript has no types. */
export function validateRunRequest(request: RunRequest): void {
  const problems = findRequestProblems(request);
  if (problems.length > 0) throw new JlgcliError("RUN_REQUEST_INVALID", `invalid run request: ${problems.join("; ")}`);
}

function findRequestProblems(request: unknown): readonly string[] {
  if (!isObject(request)) return ["the request must be an object"];
  return [
    ...(isText(request["prompt"]) ? [] : ["prompt must be a string that is not blank"]),
    ...findWorkspaceProblems(request["workspace"]),
    ...(request["signal"] === undefined || request["signal"] instanceof AbortSignal ? [] : ["signal must be an AbortSignal"]),
  ];
}

function findWorkspaceProblems(workspace: unknown): readonly string[] {
  if (!isObject(workspace)) return ["workspace must be an object"];
  const capabilities = workspace["capabilities"];
  return [
    ...(isText(workspace["id"]) ? [] : ["workspace.id must be a string that is not blank"]),
    ...(isText(workspace["rootPath"]) ? [] : ["workspace.rootPath must be a string that is not blank"]),
    ...(areCapabilities(capabilities) ? [] : ["workspace.capabilities must name read, write or both, each once"]),
  ];
}

function areCapabilities(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
  return value.every((capability) => typeof capability === "string" && CAPABILITIES.includes(capability));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

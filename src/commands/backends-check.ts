import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { BUILT_IN_IDS } from "../adapters/backend-ids.js";
import type { BackendRecord } from "../adapters/record.js";
import { checkBackendRecord } from "../adapters/record-schema.js";
import { userBackendsFolder } from "../adapters/user-backends.js";
import type { TraitProblem } from "../adapters/validate-traits.js";
import { toRealPath } from "../config/real-path.js";
import { JlgcliError, describeError } from "../errors.js";
import { EXIT_TABLE, SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { printable, quotePath } from "../printable.js";
import { errorCodeOf } from "../process/describe-spawn-failure.js";
import { describeRecord, describeRunCommand } from "./describe-record.js";
import { findJsonFault } from "./find-json-fault.js";
import type { CommandIo } from "../command-io.js";

/** A record has a few kilobytes. */
const MAX_RECORD_BYTES = 1024 * 1024;

/**
 * `jlgcli backends check FILE`: tells everything that is wrong with a backend record (78), or what a good one would do (0).
 * @throws JlgcliError `INPUT_NOT_FOUND` for a file that cannot be read, `BACKEND_RECORD_INVALID` for one that is no JSON.
 */
export async function runBackendsCheckCommand(file: string, io: CommandIo): Promise<number> {
  const path = resolve(io.cwd, file);
  const { record, problems } = checkBackendRecord(parseText(file, readText(file, path)));
  const all = [...problems, ...(record === null ? [] : findPlaceProblems(record, path, io))];
  if (record !== null && all.length === 0) {
    io.stdout(await describeRecord(record, io));
    io.stdout(`\n${describeUse(record, path, io)}\n`);
    return SUCCESS_EXIT_CODE;
  }
  for (const problem of all) io.stdout(`${toLine(problem)}\n`);
  io.stderr(`jlgcli: ${printable(file)} cannot be used as a backend: ${all.length === 1 ? "1 problem" : `${all.length} problems`}\n`);
  io.stderr("  every field of a record is described in docs/backends.md\n");
  return EXIT_TABLE.config.code;
}

function readText(file: string, path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isFile() && stats.size <= MAX_RECORD_BYTES) return readFileSync(path, "utf8");
    throw new Error(stats.isFile() ? `it has ${stats.size} bytes, a record has at most ${MAX_RECORD_BYTES}` : "it is no regular file");
  } catch (error) {
    const reason = errorCodeOf(error) === "ENOENT" ? "it does not exist" : describeError(error);
    throw new JlgcliError("INPUT_NOT_FOUND", `${printable(file)} cannot be read: ${reason}`, {
      hint: "give the path of a JSON file with one backend record",
      cause: error,
    });
  }
}

function parseText(file: string, text: string): unknown {
  const fault = findJsonFault(text);
  if (fault === null) return JSON.parse(text);
  throw new JlgcliError("BACKEND_RECORD_INVALID", `${printable(file)} is no JSON: line ${fault.line}, column ${fault.column}: ${fault.reason}`, {
    hint: "a record is one JSON object, without comments and without commas before a closing bracket",
  });
}

/** What keeps a sound record from ever being used. */
function findPlaceProblems({ id }: BackendRecord, path: string, io: CommandIo): readonly TraitProblem[] {
  const isTaken = BUILT_IN_IDS.includes(id);
  const hasOtherName = isInPlace(path, io) && basename(path) !== `${id}.json`;
  return [
    ...(isTaken ? [{ path: "id", reason: `'${id}' comes with jlgcli and cannot be replaced; choose another id` }] : []),
    ...(hasOtherName ? [{ path: "id", reason: `must be the file's name without .json, got '${id}' in ${printable(basename(path))}` }] : []),
  ];
}

function isInPlace(path: string, { env }: CommandIo): boolean {
  return toRealPath(dirname(path)) === toRealPath(userBackendsFolder({ env }));
}

function toLine({ path, reason }: TraitProblem): string {
  return path === "" ? `the record: ${reason}` : `${path}: ${reason}`;
}

function describeUse(record: BackendRecord, path: string, io: CommandIo): string {
  if (isInPlace(path, io)) return `use it with: ${describeRunCommand(record)}`;
  const folder = userBackendsFolder({ env: io.env });
  const copy = `cp ${quotePath(path)} ${quotePath(join(folder, `${record.id}.json`))}`;
  return `to use it: ${existsSync(folder) ? "" : `mkdir -p ${quotePath(folder)} && `}${copy}`;
}

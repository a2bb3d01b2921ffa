import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findHome } from "../environment.js";
import { JlgcliError, describeError } from "../errors.js";
import { adapterFromRecord } from "./from-record.js";
import { createLazyAdapter } from "./lazy-adapter.js";
import type { BackendRecord } from "./record.js";
import type { Adapter } from "./types.js";

export interface UserBackendPlaces {
  /** Records that stand in the configuration, by id; not yet checked. */
  readonly records?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The adapter of a user's own record: from the configuration, else from `~/.jlgcli/backends/<id>.json`; null where there is none. */
export function createUserAdapter(id: string, places: UserBackendPlaces): Adapter | null {
  const source = findSource(id, places);
  return source === null ? null : createLazyAdapter(id, false, async () => adapterFromRecord(await loadUserRecord(id, source)));
}

/** A user's own record; null where there is none. @throws JlgcliError `BACKEND_RECORD_INVALID` for one that is not sound. */
export async function findUserRecord(id: string, places: UserBackendPlaces): Promise<BackendRecord | null> {
  const source = findSource(id, places);
  return source === null ? null : loadUserRecord(id, source);
}

/** The ids of the user's own records. Throws where their folder cannot be read. */
export function listUserBackends(places: UserBackendPlaces): readonly string[] {
  const folder = userBackendsFolder(places);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return [...new Set([...Object.keys(places.records ?? {}), ...files.map((name) => name.slice(0, -".json".length))])].sort();
}

type RecordSource = { readonly file: string } | { readonly json: unknown };

function findSource(id: string, places: UserBackendPlaces): RecordSource | null {
  if (places.records !== undefined && Object.hasOwn(places.records, id)) return { json: places.records[id] };
  // An id is a file's name here: it must not lead out of the folder.
  if (!/^[A-Za-z0-9][\w.-]*$/.test(id)) return null;
  const file = join(userBackendsFolder(places), `${id}.json`);
  return existsSync(file) ? { file } : null;
}

/** Where the user's own record files lie. */
export function userBackendsFolder(places: UserBackendPlaces): string {
  return join(findHome(places.env ?? process.env), ".jlgcli", "backends");
}

/** Reads and checks one user record. @throws JlgcliError `BACKEND_RECORD_INVALID` with every problem. */
export async function loadUserRecord(id: string, source: RecordSource): Promise<BackendRecord> {
  const { parseBackendRecord } = await import("./record-schema.js");
  const place = "file" in source ? source.file : `backends.${id} of the configuration`;
  const record = parseBackendRecord("file" in source ? await loadJson(source.file) : source.json, place);
  if (record.id === id) return record;
  throw new JlgcliError("BACKEND_RECORD_INVALID", `the record in ${place} has the id '${record.id}', expected '${id}'`, {
    hint: "the id, traits.executorId and the file's name are the same word",
  });
}

async function loadJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new JlgcliError("BACKEND_RECORD_INVALID", `the backend record ${file} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

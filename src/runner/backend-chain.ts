import { listBackendIds } from "../adapters/backend-ids.js";
import { tryGetAdapterById } from "../adapters/registry.js";
import type { AdapterAvailability, AdapterRunOnceResult } from "../adapters/types.js";
import type { Config } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import { pickDefined, toEnd } from "./resolve-run.js";

/** Stands for the first real backend that is available. */
const AUTO = "auto";

export interface ChainRequest {
  /** What was asked for: an id, several with commas between them, or `auto`. Absent: the configuration decides. */
  readonly asked: string | undefined;
  readonly config: Config;
  readonly cwd: string;
  /** The environment in which programs and logins are looked for. */
  readonly env: Readonly<Record<string, string>>;
}

/** The backends of a run: the first one (absent: the configured one) and those to fall back to; or why there is none. */
export type BackendChain =
  | { readonly kind: "chain"; readonly backend?: string; readonly fallback: readonly string[] }
  | { readonly kind: "ended"; readonly end: AdapterRunOnceResult };

/**
 * Resolves what was asked for. The configured fallback belongs to the configured backend: who names one gets no other.
 * @throws JlgcliError `USAGE_INVALID` for a list with a gap.
 */
export async function resolveBackendChain(request: ChainRequest): Promise<BackendChain> {
  const { asked, config } = request;
  const names = parseNames(asked ?? config.backend ?? "");
  const more = asked === undefined ? (config.fallback ?? []) : [];
  if (names.length <= 1 && names[0] !== AUTO) return { kind: "chain", ...pickDefined({ backend: asked }), fallback: more };
  return expand([...names, ...more], request);
}

function parseNames(text: string): readonly string[] {
  if (text.trim() === "") return [];
  const names = text.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw new JlgcliError("USAGE_INVALID", `--backend: expected ids with commas between them, got ${JSON.stringify(text)}`, { hint: "for instance: --backend codex,claude" });
}

async function expand(names: readonly string[], request: ChainRequest): Promise<BackendChain> {
  const chosen = new Set<string>();
  for (const name of names) {
    if (name !== AUTO) {
      chosen.add(name);
      continue;
    }
    const found = await findAvailable(request);
    if ("end" in found && names.length === 1) return { kind: "ended", end: found.end };
    if ("id" in found) chosen.add(found.id);
  }
  const unknown = [...chosen].find((id) => tryGetAdapterById(id, toPlaces(request)) === null);
  // Told before anything runs, and by the run itself.
  if (unknown !== undefined) return { kind: "chain", backend: unknown, fallback: [] };
  const [backend, ...fallback] = chosen;
  return { kind: "chain", ...pickDefined({ backend }), fallback };
}

async function findAvailable(request: ChainRequest): Promise<{ readonly id: string } | { readonly end: AdapterRunOnceResult }> {
  const looks: (AdapterAvailability & { readonly id: string })[] = [];
  for (const id of listBackendIds(toPlaces(request))) {
    const look = await lookAt(id, request);
    if (look?.status === "available") return { id };
    if (look !== null) looks.push({ id, ...look });
  }
  return { end: toNoneEnd(looks) };
}

/** Null for a backend that asks no model, or whose record is not sound: `jlgcli backends` tells about that. */
async function lookAt(id: string, request: ChainRequest): Promise<AdapterAvailability | null> {
  const adapter = tryGetAdapterById(id, toPlaces(request));
  if (adapter === null || adapter.simulated === true) return null;
  try {
    return await adapter.isAvailable({ cwd: request.cwd, env: { ...request.env, ...request.config.env } });
  } catch (error) {
    if (error instanceof JlgcliError) return null;
    throw error;
  }
}

function toNoneEnd(looks: readonly (AdapterAvailability & { readonly id: string })[]): AdapterRunOnceResult {
  const signedOut = looks.find((look) => look.status === "unauthenticated");
  const hint = "`jlgcli backends` tells what to do";
  if (signedOut === undefined) return toEnd("backend-missing", "no backend is installed", hint);
  return toEnd("backend-unauthenticated", `no backend is ready: '${signedOut.id}' is installed, but not signed in`, signedOut.details ?? hint);
}

function toPlaces({ config, env }: ChainRequest) {
  return { ...pickDefined({ records: config.backends }), env };
}

import { JlgcliError } from "../errors.js";
import type { BackendRecord } from "./record.js";
import { validateTraits } from "./validate-traits.js";

/**
 * Declares a backend. Gives the record back unchanged when it is sound.
 * @throws JlgcliError `BACKEND_RECORD_INVALID` that lists every problem with its path.
 */
export function defineBackend(record: BackendRecord): BackendRecord {
  const problems = validateTraits(record.traits).map(({ path, reason }) => `traits.${path} ${reason}`);
  if (record.id !== record.traits.executorId) problems.push(`id must be traits.executorId (${record.traits.executorId})`);
  if (problems.length === 0) return record;
  throw new JlgcliError("BACKEND_RECORD_INVALID", `the record of '${record.id}' is invalid: ${problems.join("; ")}`);
}

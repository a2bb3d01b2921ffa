import { printable } from "./printable.js";

const MAX_DEPTH = 32;
/** YAML aliases make a small file mean a huge value: what counts is the value written out. */
const MAX_NODES = 20_000;

/** What in a parsed file JSON could not say, or would be dangerous or endless to read; null for plain data. */
export function describeUnplainData(root: unknown): string | null {
  let nodes = 0;
  const visit = (value: unknown, place: string, depth: number): string | null => {
    nodes += 1;
    if (nodes > MAX_NODES) return `holds more than ${MAX_NODES} values`;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    if (isScalar(value)) return null;
    if (!isContainer(value)) return `has at ${place} a value that JSON cannot say`;
    for (const [name, child] of Object.entries(value)) {
      if (name === "__proto__") return `has at ${place} the forbidden key "__proto__"`;
      const problem = visit(child, `${place}.${printable(name)}`, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  return visit(root, "$", 0);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** YAML also makes dates, sets and byte buffers. */
function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

import { appendFileSync, readFileSync } from "node:fs";
import type { RecordedRequest } from "./model-request.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the tests note the requests that reached their model servers. */
    tallyFile: string;
  }
}

/** Adds the requests of one model server to the tally of the whole run. */
export function noteRequests(file: string, backend: string, requests: readonly RecordedRequest[]): void {
  appendFileSync(file, requests.map(({ method, url }) => `${backend}\t${method} ${url.split("?")[0] ?? ""}\n`).join(""));
}

/** One line per backend, like `codex: POST /v1/responses ×12`. */
export function describeTally(file: string, backends: readonly string[]): string[] {
  const counts = countLines(readFileSync(file, "utf8"));
  return backends.map((backend) => {
    const own = [...counts].filter(([line]) => line.startsWith(`${backend}\t`));
    return `${backend}: ${own.map(([line, count]) => `${line.slice(backend.length + 1)} ×${count}`).join(", ") || "no request"}`;
  });
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) if (line !== "") counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

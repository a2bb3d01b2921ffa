import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import os from "node:os";
import path from "node:path";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A folder with a `codex` that answers at once on its PATH, an empty home, and the environment that goes with them. */
export function makeWorkshop() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "jlgcli-bench-"));
  const bin = path.join(folder, "bin");
  const home = path.join(folder, "home");
  const cwd = path.join(folder, "work");
  for (const one of [bin, home, cwd]) mkdirSync(one);
  const backend = path.join(bin, "codex");
  writeFileSync(backend, INSTANT_CODEX);
  chmodSync(backend, 0o755);
  return {
    cli: path.join(root, "dist/cli.cjs"),
    lib: path.join(root, "dist/lib"),
    backend,
    cwd,
    env: {
      PATH: [bin, path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter),
      HOME: home,
      // Evidence of a login, so that the run starts the backend without asking it first.
      CODEX_API_KEY: "bench",
      // Node 22 and newer: the compile cache is part of what is measured, but not this machine's own.
      NODE_COMPILE_CACHE: path.join(folder, "cache"),
    },
    file: (name) => path.join(folder, name),
    /** Replaces the `codex` on PATH by a Node program. */
    installBackend(source) {
      writeFileSync(backend, `#!${process.execPath}\n${source}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Only builtins of the shell, so that the backend itself costs next to nothing. */
const INSTANT_CODEX = `#!/bin/sh
printf '%s\\n' '{"type":"thread.started","thread_id":"00000000-0000-7000-8000-000000000001"}' '{"type":"turn.started"}' \\
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hello"}}' \\
  '{"type":"turn.completed","usage":{"input_tokens":20,"cached_input_tokens":5,"output_tokens":2,"reasoning_output_tokens":0}}'
`;

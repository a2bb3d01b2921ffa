const REAL_BACKENDS: readonly string[] = ["copilot", "codex", "claude"];

/** True for the id of a real backend that comes with jlgcli. A simulated one would let an untrusted folder give the answer itself. */
export function isKnownBackend(id: string): boolean {
  return REAL_BACKENDS.includes(id);
}

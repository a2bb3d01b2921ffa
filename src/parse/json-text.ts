/** A value as JSON; undefined where there is none. A value that is nested too deeply to be written is undefined too. */
export function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.parse reads deeper than JSON.stringify writes: what a backend printed may overflow the stack here.
    return undefined;
  }
}

import { createKeyParser, type Key } from "./keys.js";

/** Reads keys until the function that it gives is called. `onEnd`: the terminal is gone. */
export function readKeys(stdin: NodeJS.ReadStream, onKey: (key: Key) => void, onEnd: () => void): () => void {
  const parser = createKeyParser();
  const decoder = new TextDecoder();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const take = (keys: readonly Key[]): void => {
    for (const key of keys) onKey(key);
    const patienceMs = parser.patienceMs();
    if (patienceMs !== null) timer = setTimeout(() => take(parser.flush()), patienceMs);
  };
  const onData = (chunk: Buffer | string): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    take(parser.feed(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })));
  };

  stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
  stdin.resume();
  return () => {
    if (timer !== null) clearTimeout(timer);
    stdin.off("data", onData).off("end", onEnd);
    stdin.pause();
  };
}

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createPlace, FIXTURES, type Place } from "./cli.js";

/** A place where a claude is installed whose prompts say what it does: see `talking-claude.mjs`. */
export function createChatPlace(env: Record<string, string> = {}): Place {
  const place = createPlace({ ANTHROPIC_API_KEY: "test-key", JLGCLI_BACKEND: "claude", ...env });
  symlinkSync(join(FIXTURES, "agents/talking-claude.mjs"), join(place.bin, "claude"));
  return place;
}

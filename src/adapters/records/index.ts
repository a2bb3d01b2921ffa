import type { BackendRecord } from "../record.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwen } from "./qwen.js";

/** The built-in backends, the default one first. A new backend is a file beside this one and a line here. */
export const BUILT_IN_RECORDS: readonly BackendRecord[] = [copilot, codex, claude, gemini, opencode, qwen, pi];

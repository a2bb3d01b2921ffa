import { stripVTControlCharacters } from "node:util";

/** Text of a stranger, made safe to show on a terminal: no sequence and no character in it can steer one. Lines and tabs stay. */
export function toSafeText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replace(STEERING, "");
}

/** The control characters but line feed and tab, also the 8-bit ones, which some terminals read as escape sequences. */
const STEERING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

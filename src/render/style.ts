import { stripVTControlCharacters, styleText } from "node:util";

/** Text in a style, where colour is wanted. */
export function styled(style: "red" | "dim" | "bold" | "green" | "yellow", text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}

/** Whether stderr or stdout should be coloured: a terminal, and nobody said no (https://no-color.org). */
export function wantsColor(isTty: boolean, env: Readonly<Record<string, string>>): boolean {
  return isTty && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Text of a stranger, made safe to show on a terminal. */
export function toSafeText(text: string): string {
  return stripVTControlCharacters(text);
}

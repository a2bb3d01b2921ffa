import { styleText as styleForStdout } from "node:util";

type Style = Parameters<typeof styleForStdout>[0];

/** Text in a style, whatever the stream: the library would look at stdout alone. */
export function styleText(style: Style, text: string): string {
  return styleForStdout(style, text, { validateStream: false });
}

/** Text in a style, where colour is wanted. */
export function styled(style: Style, text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}

/** Whether stderr or stdout should be coloured: a terminal, and nobody said no (https://no-color.org). */
export function wantsColor(isTty: boolean, env: Readonly<Record<string, string>>): boolean {
  return isTty && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/**
 * GitHub Actions reads what a step prints, on stdout and stderr, for commands: lines that begin with `::`, after any
 * white space, and `##[` anywhere in a line. It compares by culture, which passes over characters that are not seen, so
 * neither an indent nor such a character would help.
 * (https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs)
 */
const UNSEEN = String.raw`[\s\p{C}\p{M}]*`;
const LINE_COMMAND = new RegExp(String.raw`(^|[\r\n])(${UNSEEN})(?=:${UNSEEN}:)`, "gu");
const INNER_COMMAND = new RegExp(String.raw`(#${UNSEEN}#${UNSEEN})(?=\[)`, "gu");

/** Text without commands: a backslash stands before what would begin one. In Markdown it is not seen. */
export function toInertText(text: string): string {
  return text.replace(LINE_COMMAND, "$1$2\\").replace(INNER_COMMAND, "$1\\");
}

/** JSON without commands, which says the same: a line of it begins with a brace, so only `##[` is to be kept apart. */
export function toInertJson(json: string): string {
  return json.replace(INNER_COMMAND, (marks) => marks.replaceAll("#", "\\u0023"));
}

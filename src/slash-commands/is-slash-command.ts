/**
 * Whether a prompt is meant for the slash-command system. Loads nothing: a run without a command pays nothing.
 * Text that only looks alike is text: a comment (`//`, `/*`), a path (`/usr/bin/x`), a lone slash.
 */
export function isSlashCommand(text: string): boolean {
  return /^\s*\/[^\s/*][^\s/]*(?:\s|$)/u.test(text);
}

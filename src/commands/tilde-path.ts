/** A text with the home folder written as `~`, wherever a path in it begins with that. */
export function tildePath(text: string, home: string): string {
  // Everything lies below `/`: as a home folder (of some service users) it says nothing.
  const bare = home.replace(/[\\/]+$/, "");
  if (bare.length < 2) return text;
  return text.replaceAll(new RegExp(`(?<![\\w.~-])${escapePattern(bare)}(?![\\w.-])`, "g"), () => "~");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

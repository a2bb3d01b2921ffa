/** What backends name the thing that a tool works on, the most telling first. */
const SUBJECTS = ["command", "cmd", "file_path", "filePath", "path", "notebook_path", "pattern", "query", "url", "description"] as const;

/**
 * A tool call in a few words. Where a title is only the tool's name, what it works on is put after it: `Read src/x.ts`
 * of `Read` with `{ "file_path": "/project/src/x.ts" }` in `/project`.
 */
export function describeCall(title: string, rawInput: unknown, cwd: string | null): string {
  const subject = findSubject(rawInput);
  if (subject === null || title.includes(subject)) return title;
  return `${title} ${cwd !== null && subject.startsWith(`${cwd}/`) ? subject.slice(cwd.length + 1) : subject}`;
}

function findSubject(rawInput: unknown): string | null {
  if (typeof rawInput !== "object" || rawInput === null) return null;
  const values = new Map<string, unknown>(Object.entries(rawInput));
  for (const name of SUBJECTS) {
    const value = values.get(name);
    const text = Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(" ") : value;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

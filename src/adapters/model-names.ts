/**
 * True where two names mean the same model: equal, or equal but for what providers and releases add to a name.
 * `claude-opus-4-8[1m]` is `claude-opus-4-8`, `gpt-4o` is `openai/gpt-4o-2024-08-06`; `gpt-5-mini` is not `gpt-5`.
 * @param aliases names that stand for a model of another name, as a backend's record has them.
 */
export function namesSameModel(requested: string, answered: string, aliases: Readonly<Record<string, string>> = {}): boolean {
  const asked = toBareName(requested);
  const got = toBareName(answered);
  if (Object.hasOwn(aliases, asked) && new RegExp(aliases[asked] ?? "", "iu").test(got)) return true;
  return isReleaseOf(got, asked) || isReleaseOf(asked, got);
}

/** `us.anthropic.claude-sonnet-4.5[1m]` -> `claude-sonnet-4-5` */
function toBareName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z]+\.)+(?=[a-z])/, "")
    .replace(/(?<=\d)\.(?=\d)/g, "-");
}

/** What a release or a provider adds: `-20250514`, `-2024-08-06`, `@20250514`, `-002`, `-latest`, `-v1:0`, `:free`. */
const RELEASE = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{3,4}|latest|preview|exp|v\d+)|:[\w.-]+)*$/;

function isReleaseOf(name: string, base: string): boolean {
  return base !== "" && name.startsWith(base) && RELEASE.test(name.slice(base.length));
}

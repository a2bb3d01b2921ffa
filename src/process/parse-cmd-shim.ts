/** What a Windows batch shim starts. `path` is absolute or relative to the shim's own folder. */
export type CmdShimTarget =
  | { readonly kind: "program"; readonly path: string }
  | { readonly kind: "node-script"; readonly path: string; readonly nodeArgs: readonly string[] };

/**
 * Reads the shims that npm, pnpm and yarn write for a package's programs. Null for any other batch file, for shims of
 * other interpreters, and where the branches of a shim do not start the same thing.
 * The lines that pass the caller's arguments (`%*`) on tell it all:
 *
 *     endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\tool\cli.js" %*   (npm)
 *     "%dp0%\node_modules\tool\tool.exe"   %*                                                  (npm, a native program)
 *       "%~dp0\node.exe"  "%~dp0\..\tool\cli.js" %*                                                      (pnpm, yarn)
 */
export function parseCmdShim(text: string): CmdShimTarget | null {
  const starts = [...text.matchAll(START)].map(({ groups }) => toTarget(groups ?? {}));
  const [first = null, ...others] = starts;
  const passesElsewhere = text.split("%*").length - 1 !== starts.length;
  if (first === null || passesElsewhere || !hasOnlyNode(text)) return null;
  return others.every((other) => other !== null && other.kind === first.kind && other.path === first.path) ? first : null;
}

const START =
  /(?<runner>"%_prog%"|"%(?:~dp0|dp0%)\\node\.exe"|\bnode(?:\.exe)?(?=\s))?[ \t]*(?<flags>(?:--?[\w=.:/-]+[ \t]+)*)"(?:%(?:~dp0|dp0%)\\)?(?<path>[^"%\r\n]+)"[ \t]+%\*/gi;

function toTarget(groups: Readonly<Record<string, string | undefined>>): CmdShimTarget | null {
  const { runner, flags = "", path } = groups;
  if (path === undefined) return null;
  if (runner !== undefined) return { kind: "node-script", path, nodeArgs: flags.split(/[ \t]+/).filter((flag) => flag !== "") };
  return /\.(exe|com)$/i.test(path) && flags === "" ? { kind: "program", path } : null;
}

/** npm's shim keeps its interpreter in a variable: `SET "_prog=%dp0%\node.exe"`, or `SET "_prog=node"`. */
function hasOnlyNode(text: string): boolean {
  return [...text.matchAll(/"_prog=([^"]*)"/g)].every(([, program = ""]) => /^(%dp0%\\)?node(\.exe)?$/i.test(program));
}

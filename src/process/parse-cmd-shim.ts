/** What a Windows batch shim starts. `path` is absolute or relative to the shim's own folder. */
export type CmdShimTarget =
  | { readonly kind: "program"; readonly path: string }
  | { readonly kind: "node-script"; readonly path: string; readonly nodeArgs: readonly string[] };

/**
 * Reads the shims that npm, pnpm and yarn write for a package's programs. Null for any other batch file: for one that
 * does more than a shim, for other interpreters, and where the branches of a shim do not start the same thing.
 * The lines that pass the caller's arguments (`%*`) on tell what is started:
 *
 *     endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\tool\cli.js" %*   (npm)
 *     "%dp0%\node_modules\tool\tool.exe"   %*                                                  (npm, a native program)
 *       "%~dp0\node.exe"  "%~dp0\..\tool\cli.js" %*                                                      (pnpm, yarn)
 */
export function parseCmdShim(text: string): CmdShimTarget | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^@/, ""));
  const targets = lines.filter((line) => !SHIM_LINE.test(line)).map(parseStart);
  const [first = null, ...others] = targets;
  const isSame = (other: CmdShimTarget | null): boolean => other?.kind === first?.kind && other?.path === first?.path;
  return others.every(isSame) ? first : null;
}

/** What a shim has beside the lines that start something. `_prog` may be node only. */
const SHIM_LINE = new RegExp(
  `^(?:${[
    "",
    "echo off",
    "goto start",
    ":find_dp0",
    ":start",
    "exit /b",
    "setlocal",
    "endlocal",
    "call :find_dp0",
    String.raw`if (?:not )?(?:exist|defined) \S.* \(`,
    String.raw`\) else \(`,
    String.raw`\)`,
    "set dp0=%~dp0",
    String.raw`set "_prog=(?:%dp0%\\)?node(?:\.exe)?"`,
    "set pathext=%pathext:;.js;=;%",
    'set "?node_path=.*',
  ].join("|")})$`,
  "i",
);

const START = new RegExp(
  [
    String.raw`^(?:endlocal & goto #_undefined_# 2>nul \|\| title %comspec% & )?`,
    String.raw`(?<runner>"%_prog%"|"%(?:~dp0|dp0%)\\node\.exe"|node(?:\.exe)?)?`,
    String.raw`\s*(?<flags>(?:--?[\w=.:/-]+\s+)*)`,
    String.raw`"(?:%(?:~dp0|dp0%)\\)?(?<path>[^"%]+)"\s+%\*$`,
  ].join(""),
  "i",
);

function parseStart(line: string): CmdShimTarget | null {
  const { runner, flags = "", path } = START.exec(line)?.groups ?? {};
  if (path === undefined) return null;
  if (runner !== undefined) return { kind: "node-script", path, nodeArgs: flags.split(/\s+/).filter((flag) => flag !== "") };
  return /\.(exe|com)$/i.test(path) && flags === "" ? { kind: "program", path } : null;
}

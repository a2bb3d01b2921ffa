import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import { parseCmdShim } from "./parse-cmd-shim.js";

/** A program that can be started without a shell: `args` go before the caller's own. */
export interface FoundProgram {
  readonly path: string;
  readonly args: readonly string[];
}

/** A program that is there but cannot be started safely. `refusal` is a sentence that says why. */
export interface RefusedProgram {
  readonly path: string;
  readonly refusal: string;
}

export interface FindProgramOptions {
  /** Gives `PATH` and, on Windows, `PATHEXT`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a relative path such as `./tool` is relative to. */
  readonly cwd: string;
  readonly platform?: NodeJS.Platform;
  readonly files?: ProgramFiles;
}

/** What the look-up needs to know of the file system. */
export interface ProgramFiles {
  isFile(path: string): boolean;
  isExecutable(path: string): boolean;
  /** The file's text, or null where it cannot be read. */
  readText(path: string): string | null;
}

/**
 * Finds the program that a command names: a path is checked as it is, a bare name is looked up on `PATH`.
 * Null when there is none. Synchronous, because it stands on the way of every run and takes microseconds.
 *
 * The current folder is never searched, neither for an empty or relative entry of `PATH` nor because Windows would:
 * a cloned repository must not be able to bring its own `codex`.
 * On Windows an npm shim (`name.cmd`) is resolved to the program behind it; one that cannot be resolved is refused,
 * because cmd.exe would take parts of a prompt for commands.
 */
export function findProgram(command: string, options: FindProgramOptions): FoundProgram | RefusedProgram | null {
  if (command === "") return null;
  return options.platform === "win32" || (options.platform === undefined && process.platform === "win32")
    ? findOnWindows(command, options, options.files ?? REAL_FILES)
    : findOnPosix(command, options, options.files ?? REAL_FILES);
}

const REAL_FILES: ProgramFiles = {
  // Asking for no throw keeps the many misses of a PATH look-up cheap.
  isFile: (path) => statOrNull(path)?.isFile() ?? false,
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  readText(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return null;
    }
  },
};

function statOrNull(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function findOnPosix(command: string, { env, cwd }: FindProgramOptions, files: ProgramFiles): FoundProgram | null {
  const candidates = command.includes("/")
    ? [posix.resolve(cwd, command)]
    : (env["PATH"] ?? "").split(":").filter((folder) => posix.isAbsolute(folder)).map((folder) => posix.join(folder, command));
  const path = candidates.find((candidate) => files.isFile(candidate) && files.isExecutable(candidate));
  return path === undefined ? null : { path, args: [] };
}

function findOnWindows(command: string, options: FindProgramOptions, files: ProgramFiles): FoundProgram | RefusedProgram | null {
  const path = findWindowsFile(command, options, files);
  if (path === undefined) return null;
  return isBatchFile(path) ? resolveShim(path, options, files) : { path, args: [] };
}

/** In this order, so that a real program wins over a shim of the same name in the same folder. */
const WINDOWS_EXTENSIONS: readonly string[] = [".exe", ".com", ".cmd", ".bat"];

function findWindowsFile(command: string, { env, cwd }: FindProgramOptions, files: ProgramFiles): string | undefined {
  const names = withExtensions(command, env);
  const candidates = /[\\/:]/.test(command)
    ? names.map((name) => win32.resolve(cwd, name))
    : windowsPath(env).flatMap((folder) => names.map((name) => win32.join(folder, name)));
  return candidates.find((candidate) => files.isFile(candidate));
}

/** npm also writes a shim without an extension for POSIX shells; Windows cannot start it (error 193). */
function withExtensions(command: string, env: FindProgramOptions["env"]): readonly string[] {
  if (WINDOWS_EXTENSIONS.includes(win32.extname(command).toLowerCase())) return [command];
  const allowed = (variable(env, "PATHEXT") ?? WINDOWS_EXTENSIONS.join(";")).toLowerCase().split(";");
  return WINDOWS_EXTENSIONS.filter((extension) => extension === ".exe" || allowed.includes(extension)).map(
    (extension) => command + extension,
  );
}

function windowsPath(env: FindProgramOptions["env"]): readonly string[] {
  return (variable(env, "PATH") ?? "")
    .split(";")
    .map((folder) => folder.replace(/^"(.*)"$/, "$1"))
    .filter((folder) => win32.isAbsolute(folder));
}

/** Names of variables have no case on Windows. */
function variable(env: FindProgramOptions["env"], name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isBatchFile(path: string): boolean {
  return /\.(cmd|bat)$/i.test(path);
}

function resolveShim(path: string, options: FindProgramOptions, files: ProgramFiles): FoundProgram | RefusedProgram {
  const refuse = (reason: string): RefusedProgram => ({
    path,
    refusal: `${path} is a batch file that ${reason}, and a prompt cannot be passed through cmd.exe safely`,
  });
  const text = files.readText(path);
  if (text === null) return refuse("cannot be read");
  const target = parseCmdShim(text);
  if (target === null) return refuse("is no npm shim");
  const folder = win32.dirname(path);
  const program = win32.resolve(folder, target.path);
  if (!files.isFile(program)) return refuse(`starts ${program}, which does not exist`);
  if (target.kind === "program") return { path: program, args: [] };
  const node = findNode(folder, options, files);
  return node === undefined ? refuse("needs node, which is not on PATH") : { path: node, args: [...target.nodeArgs, program] };
}

function findNode(shimFolder: string, options: FindProgramOptions, files: ProgramFiles): string | undefined {
  const besideShim = win32.join(shimFolder, "node.exe");
  return files.isFile(besideShim) ? besideShim : findWindowsFile("node.exe", options, files);
}

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { describeError } from "../../../src/errors.js";

export interface TempTree {
  readonly root: string;
  readonly home: string;
  /** A git repository outside of the home folder. */
  readonly project: string;
  /** An environment that knows the home folder alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the root (folders are made) and gives its path. An object is written as JSON. */
  readonly write: (path: string, content: unknown) => string;
  readonly folder: (path: string) => string;
}

/** A home folder and a project in a temporary folder, removed when the test ends. */
export function makeTempTree(): TempTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "jlgcli-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = (path: string): string => {
    mkdirSync(join(root, path), { recursive: true });
    return join(root, path);
  };
  const [home, project] = [folder("home"), folder("project")];
  folder("project/.git");
  const write = (path: string, content: unknown): string => {
    folder(dirname(path));
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
    return join(root, path);
  };
  return { root, home, project, env: { HOME: home, USERPROFILE: home }, write, folder };
}

/** What a promise is rejected with; a resolved one fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

export async function messageOf(promise: Promise<unknown>): Promise<string> {
  return describeError(await rejectionOf(promise));
}

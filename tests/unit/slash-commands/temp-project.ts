import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach } from "vitest";

export interface TempProject {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes files below the root: `project/…`, `home/…`. */
  readonly write: (files: Readonly<Record<string, string | Uint8Array>>) => void;
  readonly link: (target: string, at: string) => void;
}

const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) fs.rmSync(root, { recursive: true, force: true });
});

/** A repository and a home of its own, gone after the test. */
export function makeTempProject(): TempProject {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jlgcli-slash-")));
  roots.push(root);
  const [home, project] = [path.join(root, "home"), path.join(root, "project")];
  fs.mkdirSync(home);
  fs.mkdirSync(path.join(project, ".git"), { recursive: true });
  return {
    root,
    home,
    project,
    env: { HOME: home, PATH: process.env["PATH"] ?? "" },
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
        fs.writeFileSync(path.join(root, name), content);
      }
    },
    link(target, at) {
      fs.mkdirSync(path.dirname(path.join(root, at)), { recursive: true });
      fs.symlinkSync(target, path.join(root, at));
    },
  };
}

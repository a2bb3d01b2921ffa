import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandPlace } from "../command-places.js";
import type { CommandLoader, CommandProblem, SlashCommand } from "../types.js";
import { FileCommandLoader } from "./file.js";

/** The skills that come with the package: ordinary SKILL.md files, open to the model. */
export class BundledSkillLoader implements CommandLoader {
  readonly label = "bundled skills";
  private readonly loader: FileCommandLoader;

  /** `skillsDir`: absent, the package's own. */
  constructor(skillsDir: string = findBundledSkills()) {
    const place: CommandPlace = {
      folder: skillsDir,
      owner: "jlgcli",
      dialect: "jlgcli",
      form: "skills",
      endings: [".md"],
      isNested: true,
      scope: "user",
      projectFolder: null,
      extension: null,
    };
    this.loader = new FileCommandLoader({ cwd: skillsDir, env: {}, places: [place], source: "bundled-skill", sourceLabel: "Skill" });
  }

  loadCommands(signal: AbortSignal): Promise<readonly SlashCommand[]> {
    return this.loader.loadCommands(signal);
  }

  problems(): readonly CommandProblem[] {
    return this.loader.problems();
  }
}

const HERE = path.dirname(fileURLToPath(import.meta.url));

/**
 * The package's `skills/`: the first one above this file that has a package.json beside it. The program runs from
 * `src/`, from `dist/lib/` and, bundled, from `dist/chunks/`.
 */
export function findBundledSkills(): string {
  for (let folder = HERE; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "package.json")) && fs.existsSync(path.join(folder, "skills"))) return path.join(folder, "skills");
    if (path.dirname(folder) === folder) throw new Error(`no skills folder above ${HERE}`);
  }
}

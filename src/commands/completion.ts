import type { Command } from "commander";
import { didYouMean } from "../did-you-mean.js";
import { JlgcliError } from "../errors.js";
import { SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { preview } from "../printable.js";
import { renderBash } from "./completion-bash.js";
import { renderFish } from "./completion-fish.js";
import { SHELLS, isShell, toCompletionTree, type CompletionTree, type Shell } from "./completion-tree.js";
import { renderZsh } from "./completion-zsh.js";
import type { CommandIo } from "../command-io.js";

/**
 * `jlgcli completion SHELL`: prints a script that makes the shell complete jlgcli's commands, options and values.
 * The script holds all of them, so that pressing the key starts nothing.
 * @throws JlgcliError `USAGE_INVALID` for a shell that there is no script for.
 */
export function runCompletionCommand(shell: string, program: Command, io: CommandIo): number {
  if (!isShell(shell)) throw refuse(shell);
  io.stdout(RENDERERS[shell](toCompletionTree(program)));
  return SUCCESS_EXIT_CODE;
}

const RENDERERS: Readonly<Record<Shell, (tree: CompletionTree) => string>> = { bash: renderBash, zsh: renderZsh, fish: renderFish };

function refuse(shell: string): JlgcliError {
  const meant = didYouMean(shell, SHELLS);
  return new JlgcliError("USAGE_INVALID", `there is no completion for the shell ${preview(shell)}: expected ${SHELLS.join(", ")}`, {
    hint: meant === null ? "for instance: jlgcli completion bash" : `did you mean "${meant}"?`,
  });
}

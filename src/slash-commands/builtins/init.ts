import { CommandKind, EXECUTION_MODES, type SlashCommand } from "../types.js";

/** `/init` lets the model write the instructions file that coding agents read first. */
export const initCommand: SlashCommand = {
  name: "init",
  description: "Look at the project and write an AGENTS.md for coding agents",
  argumentHint: "[what to pay attention to]",
  kind: CommandKind.BUILT_IN,
  commandType: "prompt",
  supportedModes: EXECUTION_MODES,
  examples: ['jlgcli run --access workspace-write "/init"'],
  action: (_context, args) => ({
    type: "submit_prompt",
    prompt: args === "" ? INIT_PROMPT : `${INIT_PROMPT}\n\nPay special attention to:\n${args}`,
    allowedTools: null,
    disallowedTools: null,
    model: null,
    notices: [],
  }),
};

const INIT_PROMPT = `Write the file AGENTS.md in the root of this project: what a coding agent must know before its first change here.

First look, then write. Read the README, the manifest files (package.json, pyproject.toml, Cargo.toml, go.mod, Makefile and the like), the CI configuration, the folder structure and a handful of representative source and test files. If AGENTS.md, CLAUDE.md, GEMINI.md, .cursorrules or .github/copilot-instructions.md exists, keep what is still true in it and correct what is not; do not throw away what people wrote by hand.

The file has these parts, each only if you have something true and specific to say:
1. What the project is, in two or three sentences.
2. Commands: install, build, lint, type check, all tests, and one single test. Copy them from the manifests and CI, do not guess.
3. Architecture: the main parts, where they live, how a request or a piece of data flows through them, and which direction dependencies go. Name real paths.
4. Conventions that a reader of two files would not notice: naming, error handling, test style, commit messages.
5. Traps: generated files, slow or flaky tests, required environment variables, things that must not be touched.

Stay under 150 lines. No generic advice ("write clean code"), no list of every file, nothing you did not see in this repository. If you are not allowed to write files, answer with the complete content of the file instead.`;

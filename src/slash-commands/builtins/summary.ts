import { CommandKind, EXECUTION_MODES, type SlashCommand } from "../types.js";

/** `/summary` asks for a hand-over: of the conversation, or of the work that lies in the folder. */
export const summaryCommand: SlashCommand = {
  name: "summary",
  description: "Summarise the work so far for whoever goes on with it",
  argumentHint: "[focus]",
  kind: CommandKind.BUILT_IN,
  commandType: "prompt",
  supportedModes: EXECUTION_MODES,
  action: (_context, args) => ({
    type: "submit_prompt",
    prompt: args === "" ? SUMMARY_PROMPT : `${SUMMARY_PROMPT}\n\nFocus on:\n${args}`,
    allowedTools: null,
    disallowedTools: null,
    model: null,
    notices: [],
  }),
};

const SUMMARY_PROMPT = `Summarise the work so far, so that someone who was not here can go on with it.

If this conversation has earlier turns, summarise those. Otherwise summarise the state of the work in this folder: look at the uncommitted changes (git status, git diff), at the commits of this branch that are not on the main branch, and at notes or TODO files that belong to them.

Answer in Markdown with these sections, leaving out those that would be empty:
- **Goal**: what is to be achieved, in one or two sentences.
- **Done**: what was finished, with the files it touched.
- **Decisions**: what was chosen, what was rejected, and why.
- **Open**: what is half finished, broken or not verified. Say plainly what was not tested.
- **Next steps**: in the order in which to do them.

Report only what you saw. Change nothing.`;

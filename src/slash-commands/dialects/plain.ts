import { appendParagraph, type Dialect } from "./dialect.js";

/** Skills of the Agent Skills standard (agentskills.io), which knows no arguments: what was typed follows the text. */
export const plainDialect: Dialect = {
  placeholders: () => [],
  shell: "none",
  files: "none",
  bind: ({ args }) => ({ valueOf: () => null, appendTo: (text) => appendParagraph(text, args) }),
};

/** Copilot CLI's skills: the same, and `@path` names a file. */
export const copilotDialect: Dialect = { ...plainDialect, files: "mentions" };

import type { AccessLevel } from "./schema.js";

/** The access levels in words for people: what each lets the backend's tools do ("its tools may …"). */
export const ACCESS_WORDS: Readonly<Record<AccessLevel, { readonly name: string; readonly meaning: string }>> = {
  "read-only": { name: "Read only", meaning: "only look" },
  "workspace-write": { name: "Workspace write", meaning: "change files in the working directory" },
  full: { name: "Full access", meaning: "do all that you may do" },
};

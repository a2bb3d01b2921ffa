/** The words of a loop's command line. Apart from what they mean, so that the grammar loads nothing else. */

/** What decides that a loop is done. */
export const COMPLETION_KINDS = ["marker", "json", "until"] as const;

/** What an iteration is told of the one before it, beside the prompt. */
export const CARRIES = ["none", "next", "summary", "answer", "check"] as const;
export type Carry = (typeof CARRIES)[number];

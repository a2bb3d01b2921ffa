import type { FailureReason } from "../events/schema.js";
import { compileOptional } from "../parse/conditions.js";
import type { JsonRecord } from "../parse/paths.js";
import type { FailureReasonRule } from "./traits.js";

/** The evidence that a reason may be read from. Never the transcript: a backend may print a file that names an error. */
export interface FailureEvidence {
  readonly record: JsonRecord | undefined;
  readonly detail: string;
  readonly stderr: string;
  /** The child's own; null when it gave none. */
  readonly exitCode: number | null;
}

/**
 * Why a backend failed: the record's own rules first, then the words that many services share.
 * Null where nothing fits.
 */
export function findFailureReason(rules: readonly FailureReasonRule[], evidence: FailureEvidence): FailureReason | null {
  return [...rules, ...COMMON_RULES].find((rule) => ruleMatches(rule, evidence))?.reason ?? null;
}

function ruleMatches(rule: FailureReasonRule, evidence: FailureEvidence): boolean {
  if (rule.when !== undefined && (evidence.record === undefined || !compileOptional(rule.when)(evidence.record))) return false;
  if (rule.detail !== undefined && !hasWords(evidence.detail, rule.detail)) return false;
  if (rule.stderr !== undefined && !hasWords(evidence.stderr, rule.stderr)) return false;
  if (rule.exitCodes !== undefined && (evidence.exitCode === null || !rule.exitCodes.includes(evidence.exitCode))) return false;
  return [rule.when, rule.detail, rule.stderr, rule.exitCodes].some((test) => test !== undefined);
}

/** Nothing is searched in silence: compiling all the patterns would be a tenth of a short run. */
function hasWords(text: string, pattern: string): boolean {
  return text !== "" && new RegExp(pattern, "iu").test(text);
}

const COMMON_WORDS: readonly (readonly [FailureReason, string])[] = [
  ["unauthenticated", String.raw`not logged in|please (run )?/?log ?in|invalid (x-)?api[- ]key|incorrect api key|no authentication information|authentication (failed|token)|(http|status)( code)?:?\s*\(?401\b|\b401 unauthorized|oauth token (has )?expired|login (has )?expired|missing environment variable: .*(key|token)`],
  ["rate-limited", String.raw`rate[- ]?limit|too many requests|(http|status)( code)?:?\s*\(?429\b|usage limit|quota (exceeded|reached)|(weekly|daily|5-hour|session) limit`],
  ["unknown-model", String.raw`model .*(not found|does not exist|not available|not supported)|unknown model|invalid model|issue with the selected model`],
  ["context-too-long", String.raw`(prompt|input|request|context).*(too long|too large|exceeds)|context (window|length)|prompt budget`],
  ["overloaded", String.raw`overloaded|(http|status)( code)?:?\s*\(?5\d\d\b|internal server error|service unavailable|bad gateway|high demand|at capacity`],
  ["network", String.raw`ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|unable to connect|connection (refused|reset|failed|error|to .* lost)|could not connect|network (error|unreachable)|stream disconnected|request timed out|dns error`],
  ["session-not-found", String.raw`no (conversation|session|rollout)[^.]* (found|matched)|session not found`],
];

/** What the failure itself says comes before stderr, which may tell of something else. */
const COMMON_RULES: readonly FailureReasonRule[] = [
  ...COMMON_WORDS.map(([reason, words]): FailureReasonRule => ({ reason, detail: words })),
  ...COMMON_WORDS.map(([reason, words]): FailureReasonRule => ({ reason, stderr: words })),
];

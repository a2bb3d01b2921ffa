import type { UsageReading } from "../config.js";
import type { RunUsage } from "../../events/schema.js";
import { CommandKind, type SlashCommand } from "../types.js";

/** `/usage` tells what the runs so far have cost in tokens. */
export const usageCommand: SlashCommand = {
  name: "usage",
  description: "Show the tokens that were used",
  kind: CommandKind.BUILT_IN,
  commandType: "local",
  supportedModes: ["non_interactive", "acp"],
  action: async ({ config }) => {
    const read = config.services?.usage;
    if (read === undefined) return { type: "message", messageType: "error", content: "This caller keeps no record of usage." };
    return { type: "message", messageType: "info", content: describeUsage(await read()) };
  },
};

function describeUsage({ period, runs, usage, byBackend = [] }: UsageReading): string {
  const lines = byBackend.map((part) => `  ${part.backend}: ${describeRuns(part.runs)}, ${describeTokens(part.usage)}`);
  return [`${capitalise(period)}: ${describeRuns(runs)}, ${describeTokens(usage)}.`, ...lines].join("\n");
}

function describeRuns(runs: number): string {
  return runs === 1 ? "1 run" : `${String(runs)} runs`;
}

const PARTS: readonly (readonly [keyof RunUsage, string])[] = [
  ["totalTokens", "tokens"],
  ["inputTokens", "input"],
  ["outputTokens", "output"],
  ["cacheReadTokens", "read from a cache"],
  ["cacheWriteTokens", "written to a cache"],
  ["reasoningTokens", "reasoning"],
];

/** What is not known is not named, and never a zero. */
function describeTokens(usage: RunUsage | null): string {
  const parts = PARTS.flatMap(([part, word]) => {
    const tokens = usage?.[part] ?? null;
    return tokens === null ? [] : [`${tokens.toLocaleString("en")} ${word}`];
  });
  return parts.length === 0 ? "tokens unknown" : parts.join(", ");
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

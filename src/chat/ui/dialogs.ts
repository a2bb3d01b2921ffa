import { accessOf } from "../../conversation/describe-settings.js";
import type { ConversationSummary } from "../../conversation/types.js";
import type { RunUsage } from "../../events/schema.js";
import { ACCESS_WORDS } from "../../events/access-words.js";
import { toSafeText } from "../../render/safe-text.js";
import type { DialogId, SlashCommand } from "../../slash-commands/types.js";
import type { ChatProgram } from "../types.js";
import { describeAge, describeCost } from "./figures.js";

export type Dialog =
  | {
      readonly type: "list";
      readonly title: string;
      readonly load: () => Promise<readonly ListOption[]>;
      /** What is shown where there is nothing to choose. */
      readonly empty: string;
      /** What was typed as a choice of its own; absent where only what is listed can be chosen. */
      readonly toOption?: (text: string) => ListOption;
    }
  | { readonly type: "text"; readonly title: string; readonly load: () => Promise<string> };

export interface ListOption {
  readonly label: string;
  readonly hint: string;
  readonly isCurrent: boolean;
  readonly choose: () => void;
}

type Program = Pick<ChatProgram, "controller" | "host">;

/** What a dialog shows and does. */
export function toDialog(id: DialogId, program: Program): Dialog {
  return DIALOGS[id](program);
}

const DIALOGS: Readonly<Record<DialogId, (program: Program) => Dialog>> = {
  model: toModelDialog,
  backend: toBackendDialog,
  access: toAccessDialog,
  sessions: toSessionsDialog,
  usage: (program) => ({ type: "text", title: "Usage of this conversation", load: async () => describeUsage(program) }),
  help: ({ controller }) => ({ type: "text", title: "Help", load: async () => describeHelp(await controller.commands()) }),
};

function toModelDialog({ controller }: Program): Dialog {
  const { conversation } = controller.state();
  const current = conversation.settings().model;
  const toOption = (model: string): ListOption => ({ label: toSafeText(model), hint: "", isCurrent: model === current, choose: () => void controller.change({ model }) });
  return {
    type: "list",
    title: "Model: choose, or type any name",
    empty: "This backend takes no model.",
    load: async () => {
      const { modelNames, takesModel } = await conversation.capabilities();
      const names = current === null || modelNames.includes(current) ? modelNames : [current, ...modelNames];
      const own: ListOption = { label: "automatic", hint: "the backend chooses", isCurrent: current === null, choose: () => void controller.change({ model: null }) };
      return takesModel ? [own, ...names.map(toOption)] : [];
    },
    toOption,
  };
}

function toBackendDialog({ controller, host }: Program): Dialog {
  const { conversation } = controller.state();
  const current = conversation.settings().backend;
  return {
    type: "list",
    title: "Backend: the conversation goes with you",
    empty: "There is no backend.",
    load: async () =>
      (await host.backends(conversation.cwd)).map(({ id, displayName, status, nextStep }) => ({
        label: toSafeText(id),
        hint: toSafeText([displayName, status, status === "available" ? "" : (nextStep ?? "")].filter((part) => part !== "").join(", ")),
        isCurrent: id === current,
        choose: () => void controller.change({ backend: id }),
      })),
  };
}

function toAccessDialog({ controller }: Program): Dialog {
  const { conversation } = controller.state();
  return {
    type: "list",
    title: "Access: what the backend's tools may do",
    empty: "This backend has no access levels that could be enforced.",
    load: async () => {
      const capabilities = await conversation.capabilities();
      const current = accessOf(capabilities, conversation.settings());
      return capabilities.accessLevels.map((access) => ({ label: access, hint: ACCESS_WORDS[access].meaning, isCurrent: access === current, choose: () => void controller.change({ access }) }));
    },
  };
}

function toSessionsDialog({ controller, host }: Program): Dialog {
  const { conversation } = controller.state();
  return {
    type: "list",
    title: "Conversations: type to search",
    empty: "No conversation is kept yet.",
    load: async () =>
      sortByPlace(host.list(), conversation.cwd).map(({ id, title, cwd, usedAt }) => ({
        label: toSafeText(title),
        hint: toSafeText([describeAge(usedAt, Date.now()), cwd].filter((part) => part !== "").join(", ")),
        isCurrent: id === conversation.id,
        choose: () => void controller.resume(id),
      })),
  };
}

/** Those of this directory first. */
function sortByPlace(conversations: readonly ConversationSummary[], here: string): readonly ConversationSummary[] {
  return [...conversations.filter(({ cwd }) => cwd === here), ...conversations.filter(({ cwd }) => cwd !== here)];
}

// --- texts ---

const USAGE_LINES: readonly (readonly [keyof RunUsage, string])[] = [
  ["inputTokens", "Input"],
  ["outputTokens", "Output"],
  ["reasoningTokens", "  of it reasoning"],
  ["cacheReadTokens", "Read from cache"],
  ["cacheWriteTokens", "Written to cache"],
  ["totalTokens", "Total"],
];

function describeUsage({ controller }: Program): string {
  const { conversation } = controller.state();
  const { turns, usage, cost } = conversation.usage();
  const { backend, model } = conversation.settings();
  const tokens = USAGE_LINES.map(([key, name]) => `${name.padEnd(18)}${describeCount(usage?.[key] ?? null)}`);
  return [`${"Turns".padEnd(18)}${String(turns)}`, ...tokens, `${"Cost".padEnd(18)}${describeCost(cost) || "not told"}`, "", `Next turn: ${toSafeText(backend)}, ${toSafeText(model ?? "its default model")}.`].join("\n");
}

function describeCount(count: number | null): string {
  return count === null ? "not told" : count.toLocaleString("en-US");
}

const KEY_LINES: readonly (readonly [string, string])[] = [
  ["Enter", "send"],
  ["Alt-Enter, Ctrl-J", "new line; also \\ and Enter, and Shift-Enter in some terminals"],
  ["Esc", "cancel the answer, close a menu or dialog"],
  ["Up, Down", "earlier and later input, at the first and last line"],
  ["Tab", "complete a /command or a @file"],
  ["Ctrl-O", "open or fold tool calls and thoughts"],
  ["Ctrl-L", "draw the screen anew"],
  ["Ctrl-W, Ctrl-U, Ctrl-K", "delete a word, to the line's beginning, to its end"],
  ["Ctrl-Z", "back to the shell; its fg goes on here"],
  ["Ctrl-C", "cancel; twice: leave"],
  ["Ctrl-D", "leave, on an empty line"],
];

function describeHelp(commands: readonly SlashCommand[]): string {
  const shown = commands.filter(({ hidden, userInvocable }) => hidden !== true && userInvocable !== false);
  const groups = new Map<string, SlashCommand[]>();
  for (const command of shown) {
    const group = command.sourceLabel ?? command.kind;
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  const lines = [...groups].flatMap(([group, members]) => ["", toSafeText(group), ...members.map(({ name, argumentHint, description }) => `  /${toSafeText([name, argumentHint ?? ""].join(" ").trim())}: ${toSafeText(description).replace(/\s+/g, " ")}`)]);
  return ["Keys", ...KEY_LINES.map(([key, meaning]) => `  ${key}: ${meaning}`), ...lines].join("\n");
}

import { accessOf } from "../../conversation/describe-settings.js";
import { ACCESS_WORDS } from "../../events/access-words.js";
import { describeError } from "../../errors.js";
import { toSafeText } from "../../render/safe-text.js";
import type { DialogId } from "../../slash-commands/types.js";
import type { ChatController, ChatProgram } from "../types.js";

/** A dialog as text: what it says, and what may be chosen by its number. */
export interface LineDialog {
  readonly title: string;
  readonly lines: readonly string[];
  readonly choices: readonly Choice[];
}

export interface Choice {
  readonly label: string;
  readonly isCurrent: boolean;
  readonly choose: () => Promise<void>;
}

type Program = Pick<ChatProgram, "host" | "controller">;

/** Never rejects: what cannot be told is told as a sentence. */
export async function loadLineDialog(dialog: DialogId, program: Program): Promise<LineDialog> {
  try {
    return await DIALOGS[dialog](program);
  } catch (error) {
    return { title: describeError(error), lines: [], choices: [] };
  }
}

/** The lines of a dialog, safe to show. */
export function describeDialog({ title, lines, choices }: LineDialog): string {
  const numbered = choices.map(({ label, isCurrent }, index) => `${String(index + 1)}. ${label}${isCurrent ? " (now)" : ""}`);
  const ask = choices.length === 0 ? [] : ["Type a number to choose, or nothing to leave it as it is."];
  return [title, ...lines, ...numbered, ...ask].map(toSafeText).join("\n");
}

const DIALOGS: Readonly<Record<DialogId, (program: Program) => LineDialog | Promise<LineDialog>>> = {
  model: async ({ controller }) => {
    const { conversation } = controller.state();
    const { model } = conversation.settings();
    const { displayName, takesModel, modelNames } = await conversation.capabilities();
    if (!takesModel) return { title: `${displayName} takes no model.`, lines: [], choices: [] };
    const names = model === null || modelNames.includes(model) ? modelNames : [model, ...modelNames];
    return {
      title: `Model of ${displayName}:`,
      lines: ["Any other one: /model NAME"],
      choices: [
        { label: `${displayName} chooses`, isCurrent: model === null, choose: () => controller.change({ model: null }) },
        ...names.map((name): Choice => ({ label: name, isCurrent: name === model, choose: () => controller.change({ model: name }) })),
      ],
    };
  },
  backend: async ({ controller, host }) => {
    const { conversation } = controller.state();
    const { backend } = conversation.settings();
    const backends = await host.backends(conversation.cwd);
    return {
      title: "Backend:",
      lines: [],
      choices: backends.map(({ id, displayName, status, nextStep }) => ({
        label: `${id}, ${displayName}: ${status}${nextStep === undefined ? "" : ` (${nextStep})`}`,
        isCurrent: id === backend,
        choose: () => controller.change({ backend: id }),
      })),
    };
  },
  access: async ({ controller }) => {
    const { conversation } = controller.state();
    const capabilities = await conversation.capabilities();
    const { displayName, accessLevels } = capabilities;
    if (accessLevels.length === 0) return { title: `${displayName} has no way to enforce an access level.`, lines: [], choices: [] };
    const now = accessOf(capabilities, conversation.settings());
    return {
      title: `What the tools of ${displayName} may do:`,
      lines: [],
      choices: accessLevels.map((level) => ({ label: `${level}, ${ACCESS_WORDS[level].meaning}`, isCurrent: level === now, choose: () => controller.change({ access: level }) })),
    };
  },
  sessions: ({ controller, host }) => {
    const { conversation } = controller.state();
    const kept = host.list(conversation.cwd).slice(0, MAX_SESSIONS);
    if (kept.length === 0) return { title: "No conversation of this directory is kept yet.", lines: [], choices: [] };
    return {
      title: "Conversations of this directory, the one that was used last first:",
      lines: [],
      choices: kept.map(({ id, title, usedAt }) => ({
        label: `${title} (${usedAt.slice(0, 16).replace("T", " ")} UTC, ${id})`,
        isCurrent: id === conversation.id,
        choose: () => controller.resume(id),
      })),
    };
  },
  usage: ({ controller }) => ({ title: describeUsage(controller), lines: [], choices: [] }),
  help: async ({ controller }) => {
    const commands = (await controller.commands()).filter(({ hidden, userInvocable }) => hidden !== true && userInvocable !== false);
    return { title: "Commands:", lines: [...commands.map(({ name, argumentHint, description }) => `/${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}: ${description}`), ...KEYS], choices: [] };
  },
};

const MAX_SESSIONS = 30;

const KEYS = [
  "A line that ends with a backslash goes on in the next one.",
  "Ctrl-C cancels what is going on; twice it leaves. Ctrl-D leaves.",
] as const;

function describeUsage(controller: ChatController): string {
  const { turns, usage, cost } = controller.state().conversation.usage();
  const tokens = usage?.totalTokens ?? null;
  return [
    `This conversation has ${turns === 1 ? "1 turn" : `${String(turns)} turns`}`,
    tokens === null ? "how many tokens they took is not known" : `${new Intl.NumberFormat("en-US").format(tokens)} tokens`,
    cost === null ? "what they cost is not known" : `${cost.amount.toFixed(4)} ${cost.currency}`,
  ].join("; ") + ".";
}

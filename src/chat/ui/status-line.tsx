import type { ReactNode } from "react";
import type { AccessLevel } from "../../events/schema.js";
import { styled } from "../../render/style.js";
import type { ChatState } from "../types.js";
import { toStatusLine } from "./frame-lines.js";
import type { Look } from "./item-lines.js";
import { Lines } from "./lines.js";
import { toSpinner } from "./spinner.js";

export interface StatusLineProps {
  readonly chat: ChatState;
  readonly defaultAccess: AccessLevel | null;
  readonly look: Look;
  readonly tick: number;
  readonly nowMs: number;
}

/** Who answers, how, at what price, and for how long. A spinner stands before it only while something is going on. */
export function StatusLine({ chat, defaultAccess, look, tick, nowMs }: StatusLineProps): ReactNode {
  const isBusy = chat.activity.type !== "idle";
  const spinner = isBusy ? `${styled("cyan", toSpinner(tick), look.color)} ` : "";
  return <Lines lines={[`${spinner}${toStatusLine(chat, defaultAccess, { ...look, columns: look.columns - (isBusy ? 2 : 0) }, nowMs)}`]} />;
}

import type { ReactNode } from "react";
import { toMenuLines } from "./frame-lines.js";
import type { CompletionMenu as Menu } from "./input-model.js";
import type { Look } from "./item-lines.js";
import { Lines } from "./lines.js";

export interface CompletionMenuProps {
  readonly menu: Menu;
  readonly look: Look;
  readonly maxLines: number;
}

/** What may be meant at the cursor, by source, with hints. */
export function CompletionMenu({ menu, look, maxLines }: CompletionMenuProps): ReactNode {
  return <Lines lines={toMenuLines(menu, look, maxLines)} />;
}

import type { ReactNode } from "react";
import type { DialogModel } from "./dialog-model.js";
import { toDialogLines } from "./frame-lines.js";
import type { Look } from "./item-lines.js";
import { Lines } from "./lines.js";
import { useStore } from "./use-store.js";

export interface DialogProps {
  readonly dialog: DialogModel;
  readonly look: Look;
  readonly maxLines: number;
}

/** Stands in the place of the input until something is chosen or it is closed. */
export function Dialog({ dialog, look, maxLines }: DialogProps): ReactNode {
  return <Lines lines={toDialogLines(useStore(dialog.store), look, maxLines)} />;
}

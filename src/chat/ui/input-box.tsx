import type { ReactNode } from "react";
import { styled } from "../../render/style.js";
import type { InputLayout } from "./input-layout.js";
import type { Look } from "./item-lines.js";
import { Lines } from "./lines.js";

export interface InputBoxProps {
  readonly layout: InputLayout;
  readonly isEmpty: boolean;
  readonly look: Look;
}

/** Columns that the mark before the text takes. */
export const PROMPT_COLUMNS = 2;

const PLACEHOLDER = "Ask, or / for commands, @ for files";

/** What is typed, behind a mark. The terminal's own cursor stands in it. */
export function InputBox({ layout, isEmpty, look }: InputBoxProps): ReactNode {
  // Without colour it could be taken for something typed.
  if (isEmpty && look.color && look.columns > PLACEHOLDER.length + PROMPT_COLUMNS) return <Lines lines={[`> ${styled("dim", PLACEHOLDER, true)}`]} />;
  return <Lines lines={layout.rows.map((row, index) => `${index === 0 ? ">" : " "} ${row}`)} />;
}

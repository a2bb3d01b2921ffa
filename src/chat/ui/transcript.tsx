import { Static, Text } from "ink";
import { memo, type ReactNode } from "react";
import type { Printed } from "./transcript-feed.js";

export interface TranscriptProps {
  readonly epoch: number;
  /** The same for a whole epoch. */
  readonly greeting: readonly string[];
  readonly printed: readonly Printed[];
}

/** What is printed once and then scrolls away with the terminal. */
export const Transcript = memo(function Transcript({ epoch, greeting, printed }: TranscriptProps): ReactNode {
  return (
    <Static key={epoch} items={greeting.length === 0 ? [...printed] : [{ key: -1, lines: greeting }, ...printed]}>
      {({ key, lines }) => <Text key={key}>{lines.map((line) => (line === "" ? " " : line)).join("\n")}</Text>}
    </Static>
  );
});

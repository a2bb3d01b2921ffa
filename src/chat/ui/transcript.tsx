import { Static, Text } from "ink";
import { memo, type ReactNode } from "react";
import type { Printed } from "./transcript-feed.js";

export interface TranscriptProps {
  readonly epoch: number;
  readonly printed: readonly Printed[];
}

/** What is printed once and then scrolls away with the terminal. */
export const Transcript = memo(function Transcript({ epoch, printed }: TranscriptProps): ReactNode {
  return (
    <Static key={epoch} items={[...printed]}>
      {({ key, lines }) => <Text key={key}>{lines.map((line) => (line === "" ? " " : line)).join("\n")}</Text>}
    </Static>
  );
});

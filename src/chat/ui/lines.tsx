import { Box, Text } from "ink";
import type { ReactNode } from "react";

/** Lines that fit already, each a row of the screen; an empty one keeps its row. */
export function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        <Text key={index} wrap="truncate-end">
          {line === "" ? " " : line}
        </Text>
      ))}
    </Box>
  );
}

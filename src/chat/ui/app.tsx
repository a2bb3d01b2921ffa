import { Box, useCursor } from "ink";
import type { ReactNode } from "react";
import { styled } from "../../render/style.js";
import { CompletionMenu } from "./completion-menu.js";
import { Dialog } from "./dialog.js";
import { fitText } from "./text-width.js";
import { toFrame } from "./frame.js";
import { InputBox } from "./input-box.js";
import { Lines } from "./lines.js";
import type { ScreenModel } from "./screen-model.js";
import { StatusLine } from "./status-line.js";
import { Transcript } from "./transcript.js";
import { useStore } from "./use-store.js";

/**
 * The whole screen: the transcript scrolls away above; what may still change, the input and the status stand below. It is
 * always lower than the terminal, since more than that cannot be taken back.
 */
export function App({ screen }: { readonly screen: ScreenModel }): ReactNode {
  const state = useStore(screen.store);
  const input = useStore(screen.input.store);
  const { setCursorPosition } = useCursor();
  const { look, dialog, chat, ended } = state;
  const frame = toFrame(state, input);
  // Each drawing must say it again, or the cursor is hidden.
  setCursorPosition(frame.cursor ?? undefined);
  const transcript = <Transcript epoch={state.epoch} greeting={state.greeting} printed={state.printed} />;
  // In the same place as ever, or all of it would be printed once more.
  if (ended) return <Box flexDirection="column">{transcript}</Box>;
  const rule = frame.hasRules ? [styled("dim", "─".repeat(look.columns), look.color)] : [];
  return (
    <Box flexDirection="column">
      {transcript}
      <Lines lines={frame.live} />
      <Lines lines={rule} />
      {dialog === null ? <InputBox layout={frame.layout} isEmpty={input.editor.text === ""} look={look} /> : <Dialog dialog={dialog} look={look} maxLines={frame.dialogLines} />}
      <Lines lines={rule} />
      {dialog === null && input.menu !== null ? <CompletionMenu menu={input.menu} look={look} maxLines={frame.menuLines} /> : null}
      {input.hint === null || dialog !== null ? null : <Lines lines={[styled("yellow", fitText(input.hint, look.columns), look.color)]} />}
      <StatusLine chat={chat} defaultAccess={state.defaultAccess} look={look} tick={state.tick} nowMs={performance.now()} />
    </Box>
  );
}

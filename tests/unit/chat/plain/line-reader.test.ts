import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { createLineReader } from "../../../../src/chat/plain/line-reader.js";

const PASTE_ON = "\u001B[?2004h";

it("goes on after Ctrl-Z and the shell's fg, with pastes in brackets", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let written = "";
  output.setEncoding("utf8").on("data", (text: string) => (written += text));
  // What would stop the tests themselves.
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  const reader = createLineReader({ input, output, kind: "raw", history: [], complete: async () => [], onInterrupt: () => undefined });
  try {
    const line = reader.next("> ");
    input.write("half\u001A");
    await vi.waitFor(() => expect(kill).toHaveBeenCalledWith(process.pid, "SIGTSTP"));
    written = "";
    process.emit("SIGCONT");
    await vi.waitFor(() => expect(written).toContain(PASTE_ON));
    expect(input.isPaused()).toBe(false);
    input.write(" a word\r");
    expect(await line).toBe("half a word");
  } finally {
    kill.mockRestore();
    reader.close();
  }
});

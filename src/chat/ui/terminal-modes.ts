export interface ScreenModes {
  /** Switches the terminal to what a screen needs; also where a shell has changed it meanwhile. */
  enter(): void;
  /** Switches it back. It is done once for each time that it was entered, whoever asks for it. */
  restore(): void;
  areEntered(): boolean;
}

export function createScreenModes(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, env: Readonly<Record<string, string>>): ScreenModes {
  const hasKittyKeys = knowsKittyKeys(env);
  let isEntered = false;
  const restore = (): void => {
    if (!isEntered) return;
    isEntered = false;
    if (!stdout.destroyed) stdout.write((hasKittyKeys ? KITTY_KEYS_OFF : "") + PASTE_OFF + SHOW_CURSOR);
    if (!stdin.destroyed) stdin.setRawMode(false);
  };
  return {
    enter: () => {
      // What is believed to be on already would not be switched on.
      restore();
      isEntered = true;
      stdin.setRawMode(true);
      stdout.write(PASTE_ON + (hasKittyKeys ? KITTY_KEYS_ON : ""));
    },
    restore,
    areEntered: () => isEntered,
  };
}

const PASTE_ON = "\u001B[?2004h";
const PASTE_OFF = "\u001B[?2004l";
const SHOW_CURSOR = "\u001B[?25h";
/** Keys that a terminal cannot tell apart otherwise, such as Shift-Enter. */
const KITTY_KEYS_ON = "\u001B[>1u";
const KITTY_KEYS_OFF = "\u001B[<u";

/** Only terminals that are known to speak the protocol are asked to: others may print what they do not know. */
function knowsKittyKeys(env: Readonly<Record<string, string>>): boolean {
  return env["KITTY_WINDOW_ID"] !== undefined || env["TERM"] === "xterm-kitty" || ["WezTerm", "ghostty"].includes(env["TERM_PROGRAM"] ?? "");
}

/** Empties what can be seen; what was scrolled away stays. */
export const WIPE = "\u001B[2J\u001B[H";

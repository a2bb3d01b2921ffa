const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The sign that something is going on, at a moment of it. */
export function toSpinner(tick: number): string {
  return FRAMES[tick % FRAMES.length] ?? "";
}

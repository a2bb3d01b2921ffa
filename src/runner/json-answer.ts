/** A JSON value in an answer, and the part of the answer that says it. */
export interface JsonAnswer {
  readonly text: string;
  readonly value: unknown;
}

/** The JSON value that an answer consists of, or that stands in its last code block; null where there is none. */
export function parseJsonAnswer(answer: string): JsonAnswer | null {
  const whole = tryParse(answer.trim());
  if (whole !== null) return whole;
  const blocks = [...answer.matchAll(/^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm)];
  return tryParse(blocks.at(-1)?.[2]?.trim() ?? "");
}

function tryParse(text: string): JsonAnswer | null {
  try {
    const value: unknown = JSON.parse(text);
    return { text, value };
  } catch {
    return null;
  }
}

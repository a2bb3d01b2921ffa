import { getDefaults, Lexer, Tokenizer, type Token, type Tokens } from "marked";

/** Deeper quotes and lists than anyone reads stand as they came: each level costs stack, and time for all that is in it. */
const MAX_DEPTH = 12;
/** In a longer paragraph the marks stay: the time for them grows with the square of its length. */
const MAX_INLINE_CHARS = 8000;

/**
 * The blocks of a Markdown text. Any text will do: what would take the lexer too long, or be too much for it, comes as
 * plain text.
 */
export function lexMarkdown(text: string): readonly Token[] {
  try {
    return new BoundedLexer({ ...getDefaults(), tokenizer: new BoundedTokenizer() }).lex(text);
  } catch {
    const token: Tokens.Text = { type: "text", raw: text, text, escaped: true };
    return [token];
  }
}

class BoundedLexer extends Lexer {
  override inline(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= MAX_INLINE_CHARS) return super.inline(text, tokens);
    tokens.push({ type: "text", raw: text, text, escaped: false });
    return tokens;
  }
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.#goDeeper(() => super.blockquote(text));
  }

  override list(text: string): Tokens.List | undefined {
    return this.#goDeeper(() => super.list(text));
  }

  /** Nothing where it is too deep: the text is then a paragraph. */
  #goDeeper<T>(lex: () => T | undefined): T | undefined {
    if (this.#depth >= MAX_DEPTH) return undefined;
    this.#depth += 1;
    try {
      return lex();
    } finally {
      this.#depth -= 1;
    }
  }
}

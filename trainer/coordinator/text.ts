/** What building samples needs of the loaded model's tokenizer; composed from the engine. */
export interface TextTools {
  /** Plain text to ids; marker spellings in the text stay text. */
  readonly tokenize: (text: string) => number[];
  readonly detokenize: (tokens: number[]) => string;
  /** A prompt as a client wrote it, to ids in the model's own markers and order, cut to fit the context. */
  readonly promptTokens: (promptText: string) => number[];
  /** A document around a caret, to ids in the model's own markers and order. */
  readonly documentTokens: (document: { path: string; prefix: string; suffix: string }) => number[];
  /** Ends a completion. */
  readonly endOfText: number;
}

/**
 * How many tokens, from the first, it takes to spell `text`, which the tokens' own text begins with.
 *
 * @param whole Count only tokens whose text lies wholly inside; else also the one that reaches over the end.
 */
export function tokensSpelling(
  tokens: number[],
  text: string,
  whole: boolean,
  detokenize: (tokens: number[]) => string,
): number {
  if (text === '') return 0;
  for (let count = 1; count <= tokens.length; count++) {
    const length = detokenize(tokens.slice(0, count)).length;
    if (length >= text.length) return whole && length > text.length ? count - 1 : count;
  }
  return tokens.length;
}

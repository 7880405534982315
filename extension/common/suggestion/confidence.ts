/** How sure the model is of a suggestion, from the log-probabilities of its tokens at temperature 1. */
export interface Confidence {
  /** Over the tokens, nats. */
  meanLogprob: number;
  minLogprob: number;
  /** Probability of the first token, 0..1. */
  firstProbability: number;
}

/**
 * The confidence in the first `chars` UTF-16 units of a generated text: of the tokens that begin before there, the one
 * that reaches over included; of all tokens when nothing is shown, so that silence has its confidence, too.
 *
 * @param logprobs of each generated token, nats
 * @param ends where the text of each token ends, in UTF-16 units; one whose character is still open ends where it began
 * @returns null when nothing was generated.
 */
export function confidenceOf(
  logprobs: readonly number[],
  ends: readonly number[],
  chars: number,
): Confidence | null {
  const shown = chars === 0 ? logprobs : logprobs.filter((_, index) => (ends[index - 1] ?? 0) < chars);
  if (shown.length === 0) return null;
  return {
    meanLogprob: shown.reduce((sum, logprob) => sum + logprob, 0) / shown.length,
    minLogprob: Math.min(...shown),
    firstProbability: Math.exp(shown[0]!),
  };
}

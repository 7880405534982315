/** How much context a prompt may have: what this computer reads in a quarter of a second. Pure. */

/** What context may cost a request of which nothing is in the cache, in milliseconds. */
const COST_MS = 250;
/** Of a computer that reads faster; more was not measured. */
const BUDGET_TOKENS_MAX = 1024;
/** Until the first prompt was measured: two processor cores and the embedded model. */
const BUDGET_TOKENS_FIRST = 112;
/** Shorter readings tell more of the call than of the speed. */
const READING_TOKENS_MIN = 64;
const READINGS_MAX = 15;

/** The speed at which prompts are read, and the budget that follows from it. */
export class ContextBudget {
  /** Tokens a second, the oldest first. */
  readonly #readings: number[] = [];

  /**
   * @param evaluatedTokens of a prompt, those that were in the cache left out
   * @param promptMs time that they took
   */
  read(evaluatedTokens: number, promptMs: number): void {
    if (evaluatedTokens < READING_TOKENS_MIN || promptMs <= 0) return;
    this.#readings.push((1000 * evaluatedTokens) / promptMs);
    if (this.#readings.length > READINGS_MAX) this.#readings.shift();
  }

  /** Median speed of the last prompts, tokens a second; undefined before the first. */
  get tokensPerSecond(): number | undefined {
    const sorted = this.#readings.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
  }

  /** Most tokens of context. */
  get tokens(): number {
    const speed = this.tokensPerSecond;
    if (speed === undefined) return BUDGET_TOKENS_FIRST;
    return Math.min(BUDGET_TOKENS_MAX, Math.round((speed * COST_MS) / 1000));
  }
}

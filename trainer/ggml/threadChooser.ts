/** Weight of the newest measurement. */
const STEP = 0.3;
/** Every so many slices the other choice is measured again. */
const EXPLORE_EVERY = 24;

/**
 * Chooses between all threads and one. ggml's threads meet at spinning barriers: where another process takes a
 * core away, two threads wait for each other and can be ten times slower than one alone. So the rate of both is
 * measured on the work itself.
 */
export class ThreadChooser {
  readonly #choices: number[];
  /** Multiply-adds a millisecond, moving average, by choice. */
  readonly #rates = new Map<number, number>();
  #count = 0;

  constructor(threads: number) {
    this.#choices = threads > 1 ? [threads, 1] : [1];
  }

  /** Threads for the next slice. */
  next(): number {
    const unmeasured = this.#choices.find((threads) => !this.#rates.has(threads));
    if (unmeasured !== undefined) return unmeasured;
    const [best, other] = this.#choices.toSorted((a, b) => this.#rates.get(b)! - this.#rates.get(a)!);
    return ++this.#count % EXPLORE_EVERY === 0 ? (other ?? best!) : best!;
  }

  /** Tells how long a slice of `work` multiply-adds took; one without any says nothing. */
  record(threads: number, work: number, milliseconds: number): void {
    if (work === 0) return;
    const rate = work / Math.max(milliseconds, 0.001);
    const known = this.#rates.get(threads) ?? rate;
    this.#rates.set(threads, known + STEP * (rate - known));
  }
}

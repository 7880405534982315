/** How long a request waits for the next key. Pure: time comes with the calls. */

/** Longest wait, where the floor isn't longer: who waits for a suggestion doesn't wait for this as well. */
const WAIT_MAX_MS = 200;
/** One request in so many, at least, is to be answered before the next key. */
const ASKED_PER_ANSWERED = 3;
/** A pause is longer than any request takes; how long doesn't matter. */
const INTERVAL_MAX_MS = 10_000;
const INTERVALS_MAX = 30;
const LATENCIES_MAX = 15;

/**
 * The shortest wait after which one request in three is answered before the next key. What goes out sooner is most
 * often computed for nothing and holds the next one up; where no wait is long enough, waiting is of no use.
 *
 * Of the keys that let the wait `w` pass, a third has to let `w + latencyMs` pass; how keys follow one another is
 * read from the last ones.
 *
 * @param floorMs no wait is shorter
 * @param intervalsMs between keys, pauses among them
 * @param latencyMs what a request takes; undefined: not known yet
 */
export function waitFor(
  floorMs: number,
  intervalsMs: readonly number[],
  latencyMs: number | undefined,
): number {
  if (latencyMs === undefined) return floorMs;
  const waits = intervalsMs.filter((ms) => ms > floorMs && ms <= WAIT_MAX_MS).sort((a, b) => a - b);
  const enough = [floorMs, ...waits].find((wait) => {
    const passing = intervalsMs.filter((ms) => ms > wait);
    const answered = passing.filter((ms) => ms > wait + latencyMs);
    return ASKED_PER_ANSWERED * answered.length >= passing.length;
  });
  return enough ?? floorMs;
}

/** Rhythm of the typing in one window, and the speed of what answers. */
export class TypingPause {
  /** The oldest first, both. */
  readonly #intervalsMs: number[] = [];
  readonly #latenciesMs: number[] = [];
  #last: number | undefined;

  /** A key was typed. */
  key(at: number): void {
    if (this.#last !== undefined) {
      push(this.#intervalsMs, Math.min(INTERVAL_MAX_MS, Math.max(0, at - this.#last)), INTERVALS_MAX);
    }
    this.#last = at;
  }

  /** A request was answered. */
  answered(latencyMs: number): void {
    push(this.#latenciesMs, latencyMs, LATENCIES_MAX);
  }

  /** How long a request waits now. */
  waitMs(floorMs: number): number {
    const sorted = this.#latenciesMs.toSorted((a, b) => a - b);
    return waitFor(floorMs, this.#intervalsMs, sorted[Math.floor(sorted.length / 2)]);
  }
}

function push(values: number[], value: number, most: number): void {
  values.push(value);
  if (values.length > most) values.shift();
}

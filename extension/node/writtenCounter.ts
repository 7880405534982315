const MINUTE_MS = 60_000;
/** A row of the store is written this long after the first key, not with every one. */
const FLUSH_MS = 5000;

/** Counts characters that are written, by the minute. */
export class WrittenCounter {
  readonly #store: (minute: number, chars: number) => void;
  /** Minute to characters. */
  readonly #waiting = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param store is given the start of a minute, milliseconds since the epoch, and what came in it */
  constructor(store: (minute: number, chars: number) => void) {
    this.#store = store;
  }

  add(chars: number, now = Date.now()): void {
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    this.#waiting.set(minute, (this.#waiting.get(minute) ?? 0) + chars);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Stores what is counted. */
  flush(): void {
    const counted = [...this.#waiting];
    this.forget();
    for (const [minute, chars] of counted) this.#store(minute, chars);
  }

  /** What isn't stored yet never is. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }
}

import { dayStart, type DayTally } from '../common/status/today.ts';

/** Events come several at a time, and one count is enough for them. */
const SETTLE_MS = 300;

/** How many suggestions were taken today, of every window of this installation. */
export class Today {
  readonly #count: (since: number) => Promise<DayTally>;
  readonly #onChange: () => void;
  #tally: DayTally | null = null;
  #day = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param count what was judged since a time */
  constructor(count: (since: number) => Promise<DayTally>, onChange: () => void) {
    this.#count = count;
    this.#onChange = onChange;
  }

  /** Null: not read yet. */
  get tally(): DayTally | null {
    return this.#tally;
  }

  /** There is something new to count, or, `ifNewDay`, there may be a new day. */
  refresh({ ifNewDay = false } = {}): void {
    if (ifNewDay && dayStart(Date.now()) === this.#day) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), SETTLE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const day = dayStart(Date.now());
    // A store that can't be read says so itself.
    const tally = await this.#count(day).catch(() => null);
    if (tally === null) return;
    const before = JSON.stringify(this.#tally);
    this.#day = day;
    this.#tally = tally;
    if (JSON.stringify(this.#tally) !== before) this.#onChange();
  }
}

import { feedbackEventSchema, type FeedbackEvent } from '../common/contracts/feedback.ts';
import { CompanionError } from './companionClient.ts';
import type { Store } from './store.ts';
import type { Delivery } from './storeDatabase.ts';

const BATCH_ROWS = 50;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;
/** Also how often events of windows that are gone are looked for. */
const HEARTBEAT_MS = 10_000;
/** Events kept in memory while the store takes none; more than a day's. */
const UNSTORED_MAX = 2000;
/** No answer of the companion: the event itself can't be sent. */
const NO_STATUS = -1;
/** Statuses that say: this event is wrong and will be wrong the next time too. */
const REFUSALS = new Set([400, 409, 413, 415, 422]);

interface OutboxOptions {
  store: Store;
  /** This window's name in the outbox. */
  window: string;
  /** Resolves when the event is durable at the companion. Rejects with a CompanionError. */
  submit: (event: FeedbackEvent) => Promise<unknown>;
  log: (level: 'info' | 'warn', message: string) => void;
  /** The store has taken events. */
  onStored?: () => void;
}

/**
 * Delivers stored events at least once, oldest first. What can't be delivered now is tried again, later and later;
 * an event that the companion refuses for what it is goes to the `refused` table. Idempotence is the receiver's, by
 * event id.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #timer: NodeJS.Timeout | undefined;
  readonly #heartbeat: NodeJS.Timeout;
  #draining: Promise<void> | undefined;
  #wokenWhileDraining = false;
  #failures = 0;
  #stopped = false;
  /** Tracking is off: what waits in the store stays there. */
  #held = false;
  /** Pieces of work under way during which nothing may be sent. */
  #holds = 0;
  /** Events that are in memory only. */
  #unstored: FeedbackEvent[] = [];
  /** How often what is in memory only was dropped. */
  #forgotten = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
    void this.#beat();
  }

  /**
   * Stores events and sends them; resolves when they are durable here. What the store doesn't take, because the disk
   * is full or another window holds it, is kept in memory and stored later.
   */
  async add(events: readonly FeedbackEvent[]): Promise<void> {
    this.#unstored.push(...events);
    await this.#storeAll();
  }

  /** Drops what is in memory only: nothing more may be written. */
  forget(): void {
    this.#unstored = [];
    this.#forgotten++;
  }

  /** Keeps back what waits, from the next event on, or lets it go again. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.wake();
  }

  /** Does something while nothing is on its way to the companion, and nothing begins to be. */
  async whileHeld<T>(work: () => Promise<T>): Promise<T> {
    this.#holds++;
    try {
      await this.#draining;
      return await work();
    } finally {
      this.#holds--;
      this.wake();
    }
  }

  /** Tries now, whatever the waiting time: new events are there, or the companion is back. */
  wake(): void {
    this.#schedule(0);
  }

  /** Resolves when a pass that was under way is over; nothing is sent after that. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    await this.#draining;
  }

  async #storeAll(): Promise<void> {
    const { store, window, log, onStored } = this.#options;
    const events = this.#unstored.splice(0);
    if (events.length === 0) return;
    const forgotten = this.#forgotten;
    try {
      const added = await store.call('appendEvents', window, events);
      if (added < events.length) log('warn', `${events.length - added} event(s) were known already.`);
    } catch (error) {
      if (forgotten === this.#forgotten) this.#unstored = [...events, ...this.#unstored].slice(-UNSTORED_MAX);
      throw error;
    }
    onStored?.();
    this.wake();
  }

  #schedule(delayMs: number): void {
    if (this.#isQuiet()) return;
    if (this.#draining) {
      this.#wokenWhileDraining = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#draining = this.#drain().then((againMs) => {
        this.#draining = undefined;
        if (this.#wokenWhileDraining) this.#schedule(0);
        else if (againMs !== null) this.#schedule(againMs);
        this.#wokenWhileDraining = false;
      });
    }, delayMs);
  }

  #isQuiet(): boolean {
    return this.#stopped || this.#held || this.#holds > 0;
  }

  /** Sends what is due. Returns after how long to try again, null when nothing waits. */
  async #drain(): Promise<number | null> {
    const { store, window, log } = this.#options;
    try {
      for (;;) {
        const rows = await store.call('dueDeliveries', window, Date.now(), BATCH_ROWS);
        for (const row of rows) {
          if (this.#isQuiet()) return null;
          if (!(await this.#deliver(row))) return delayAfter(this.#failures++);
        }
        if (rows.length < BATCH_ROWS) break;
      }
      const nextAt = await store.call('nextDeliveryAt', window);
      return nextAt === null ? null : Math.max(FIRST_RETRY_MS, nextAt - Date.now());
    } catch (error) {
      if (!this.#stopped) log('warn', `Outbox: ${(error as Error).message}`);
      return LAST_RETRY_MS;
    }
  }

  /** False: the companion can't be reached or takes nothing now; the pass is over. */
  async #deliver(row: Delivery): Promise<boolean> {
    const { store, submit, log } = this.#options;
    try {
      await submit(feedbackEventSchema.parse(JSON.parse(row.body)));
    } catch (error) {
      return this.#failed(row, error);
    }
    await store.call('delivered', row.sequence);
    if (this.#failures > 0) log('info', 'Feedback reaches the companion again.');
    this.#failures = 0;
    return true;
  }

  async #failed(row: Delivery, error: unknown): Promise<boolean> {
    const { store, log } = this.#options;
    const status = error instanceof CompanionError ? error.status : NO_STATUS;
    const message = error instanceof Error ? error.message : String(error);
    // An event that isn't one (the row was written by another version) is no better the next time.
    if (REFUSALS.has(status) || status === NO_STATUS) {
      log('warn', `Event ${row.eventId} was refused: ${message}`);
      await store.call('refuse', row.sequence, Date.now(), message);
      return true;
    }
    if (status >= 500 && status !== 503) {
      const delayMs = delayAfter(row.attempts);
      log('warn', `Event ${row.eventId} waits ${delayMs} ms: ${message}`);
      await store.call('postpone', row.sequence, Date.now() + delayMs, message);
      return true;
    }
    // Nothing gets through: the row stays due, and the whole pass waits.
    if (this.#failures === 0) log('info', `Feedback waits for the companion: ${message}`);
    return false;
  }

  async #beat(): Promise<void> {
    const { store, window, log } = this.#options;
    try {
      await this.#storeAll();
      const adopted = await store.call('heartbeat', window, Date.now());
      if (adopted === 0) return;
      log('info', `Took over ${adopted} event(s) of a window that is gone.`);
      this.wake();
    } catch (error) {
      if (!this.#stopped) log('warn', `Outbox: ${(error as Error).message}`);
    }
  }
}

function delayAfter(failures: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}

/** When learning has to wait although there is something to learn: on battery, or for want of memory. */
import type { PowerSource } from '../power/powerSource.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';

/** Between two looks at the power source; on Windows each starts a program. */
const POWER_INTERVAL_MS = 30_000;

export type PauseReason = 'battery' | 'memory';

export interface BudgetOptions {
  /** What the computer runs on. */
  readPower: () => Promise<PowerSource>;
  /** True: learning goes on all the same. */
  onBattery: boolean;
  /** Why serving and learning together take more memory than is allowed; null: they don't. */
  memoryShort: string | null;
  logger: Logger;
  powerIntervalMs?: number;
}

/** Learning without limits, as where somebody waits for it. */
export const NO_LIMITS: Omit<BudgetOptions, 'logger'> = {
  readPower: () => Promise.resolve('mains'),
  onBattery: true,
  memoryShort: null,
};

export class LearningBudget {
  readonly intervalMs: number;
  readonly #options: BudgetOptions;
  #reason: PauseReason | null = null;
  #power: { source: PowerSource; at: number } | null = null;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.intervalMs = options.powerIntervalMs ?? POWER_INTERVAL_MS;
  }

  /** Why learning waits; null: it doesn't, or there was nothing to learn yet. */
  get reason(): PauseReason | null {
    return this.#reason;
  }

  /** Whether an update that nobody asked for has to wait. */
  async mustWait(): Promise<boolean> {
    const { onBattery, memoryShort } = this.#options;
    if (memoryShort !== null) this.#set('memory');
    else this.#set(!onBattery && (await this.#source()) === 'battery' ? 'battery' : null);
    return this.#reason !== null;
  }

  /**
   * For an update that was asked for: battery is no reason then.
   *
   * @throws HoneError `memory_limit`
   */
  requireMemory(): void {
    if (this.#options.memoryShort !== null) throw new HoneError('memory_limit', this.#options.memoryShort);
  }

  /** Runs an update that nobody asked for, and tells again and again whether it has to rest. */
  async restDuring(update: () => Promise<unknown>, rest: (rests: boolean) => void): Promise<void> {
    let over = false;
    const look = async () => {
      const rests = await this.mustWait();
      if (!over) rest(rests);
    };
    const timer = setInterval(() => void look(), this.intervalMs).unref();
    try {
      await update();
    } finally {
      over = true;
      clearInterval(timer);
      rest(false);
    }
  }

  async #source(): Promise<PowerSource> {
    const known = this.#power;
    if (known !== null && performance.now() - known.at < this.intervalMs / 2) return known.source;
    const source = await this.#options.readPower();
    this.#power = { source, at: performance.now() };
    return source;
  }

  #set(reason: PauseReason | null): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    const { logger, memoryShort } = this.#options;
    if (reason === null) logger.info('Learning goes on.');
    else
      logger.info(
        { reason },
        reason === 'battery'
          ? 'Learning is paused: the computer runs on battery (training.onBattery, hone.learning.onBattery).'
          : `Learning is paused: ${memoryShort}`,
      );
  }
}

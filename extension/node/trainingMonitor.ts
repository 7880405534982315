import type { TrainingStatus } from '../common/contracts/feedback.ts';
import type { CompanionClient } from './companionClient.ts';

const IDLE_INTERVAL_MS = 4000;
const TRAINING_INTERVAL_MS = 1000;

/** Asks the companion for its training status while one is ready, more often during an update. */
export class TrainingMonitor {
  readonly #client: () => CompanionClient | null;
  readonly #workspaceKey: () => string;
  readonly #onStatus: (status: TrainingStatus) => void;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    client: () => CompanionClient | null,
    workspaceKey: () => string,
    onStatus: (status: TrainingStatus) => void,
  ) {
    this.#client = client;
    this.#workspaceKey = workspaceKey;
    this.#onStatus = onStatus;
  }

  /** Asks now and goes on asking. */
  start(): void {
    clearTimeout(this.#timer);
    void this.#ask();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    let intervalMs = IDLE_INTERVAL_MS;
    try {
      const status = await this.#client()?.status(this.#workspaceKey());
      if (this.#stopped) return;
      if (status) this.#onStatus(status);
      if (status?.state === 'training' || status?.state === 'gating') intervalMs = TRAINING_INTERVAL_MS;
    } catch {
      // The supervisor finds out and says why; the next answer comes from the next companion.
    }
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), intervalMs);
    this.#timer.unref();
  }
}

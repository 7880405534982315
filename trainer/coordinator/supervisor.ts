import type { LearnerRequest } from '../../extension/common/contracts/index.ts';
import {
  LearnerProcess,
  type LearnerProcessOptions,
  type LearnerProgress,
  type LearnerReady,
  type LearnerUpdated,
} from './learnerProcess.ts';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;

/**
 * Keeps a learner at hand: started with the first update, started anew after a failure; `waitMs` grows each
 * time it fails again.
 */
export class LearnerSupervisor {
  private readonly options: LearnerProcessOptions;
  private process: LearnerProcess | null = null;
  private info: LearnerReady | null = null;
  private failures = 0;
  /** `performance.now()`: the time of day may be set. */
  private notBefore = 0;
  private paused = false;

  constructor(options: LearnerProcessOptions) {
    this.options = options;
  }

  /** Process id of the running learner, or null. */
  get pid(): number | null {
    return this.process?.alive === true ? this.process.pid : null;
  }

  /** What the learner said of itself when it last started. */
  get ready(): LearnerReady | null {
    return this.info;
  }

  /** Milliseconds that an update nobody asked for should wait after failures; 0: none. */
  get waitMs(): number {
    return Math.max(0, this.notBefore - performance.now());
  }

  /**
   * Runs one update, in a new process when there is none, and returns what `read` makes of the answer. An answer that
   * `read` throws at is a failure like any other.
   *
   * @throws HoneError `learner_failed`, and what `read` throws.
   */
  async update<T>(
    request: Extract<LearnerRequest, { type: 'update' }>,
    onProgress: (progress: LearnerProgress) => void,
    read: (updated: LearnerUpdated) => T,
  ): Promise<T> {
    try {
      const learner = await this.running();
      const answer = read(await learner.update(request, onProgress));
      this.failures = 0;
      return answer;
    } catch (error) {
      this.failures++;
      this.notBefore =
        performance.now() + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
      throw error;
    }
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    this.process?.setPaused(paused);
  }

  /** Ends the learner with all that it keeps in memory of what it learned from; the next update starts another. */
  async forget(): Promise<void> {
    await this.process?.dispose();
  }

  async dispose(): Promise<void> {
    await this.process?.dispose();
  }

  private async running(): Promise<LearnerProcess> {
    if (this.process?.alive === true) return this.process;
    const learner = new LearnerProcess(this.options);
    this.process = learner;
    try {
      this.info = await learner.start();
    } catch (error) {
      // A learner that could not load the model is of no use; it must not linger.
      await learner.dispose();
      throw error;
    }
    learner.setPaused(this.paused);
    this.options.logger.info({ pid: learner.pid, ...this.info }, 'The learner is ready.');
    return learner;
  }
}

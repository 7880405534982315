/** One question to a server that may be busy, broken or gone: asked again with growing pauses. */
import { setTimeout as pause } from 'node:timers/promises';
import { keyedRandom } from '../replay/random.ts';
import type { LossReason } from './verdict.ts';

export interface RetryOptions {
  /** Times that a question is asked, the first included. */
  attempts: number;
  /** Pause before the second attempt; each further one is twice as long. */
  backoffMs: number;
  /** Longest pause, `Retry-After` excepted. */
  maxBackoffMs: number;
  /** A server that wants a longer pause gets none: the verdict is lost. */
  maxRetryAfterMs: number;
  seed: number;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), sleep: (milliseconds) => pause(milliseconds) };

/** What one attempt gave: an answer, or a failure that may pass. */
export type Attempt<Answer> =
  { answer: Answer } | { failure: LossReason; passes: boolean; retryAfterMs?: number | undefined };

/** Asks until there is an answer. All questions together heed the pause that the server wants. */
export class Retrier {
  private readonly options: RetryOptions;
  private readonly clock: Clock;
  private notBefore = 0;

  constructor(options: RetryOptions, clock: Clock = systemClock) {
    this.options = options;
    this.clock = clock;
  }

  /**
   * The answer, or why there is none after the last attempt.
   *
   * @param key of the question: with the seed it decides the jitter
   */
  async ask<Answer>(
    key: string,
    attempt: () => Promise<Attempt<Answer>>,
  ): Promise<{ answer: Answer } | { lost: LossReason }> {
    const { attempts, maxRetryAfterMs } = this.options;
    for (let tries = 1; ; tries++) {
      const wait = this.notBefore - this.clock.now();
      if (wait > 0) await this.clock.sleep(wait);
      const result = await attempt();
      if ('answer' in result) return result;
      const { failure, passes, retryAfterMs = 0 } = result;
      if (!passes || tries >= attempts || retryAfterMs > maxRetryAfterMs) return { lost: failure };
      if (retryAfterMs > 0) this.notBefore = Math.max(this.notBefore, this.clock.now() + retryAfterMs);
      await this.clock.sleep(Math.max(retryAfterMs, this.backoff(key, tries)));
    }
  }

  /** Half of the doubled pause is certain, the other half is drawn, so that many questions don't come back at once. */
  private backoff(key: string, tries: number): number {
    const { backoffMs, maxBackoffMs, seed } = this.options;
    const longest = Math.min(maxBackoffMs, backoffMs * 2 ** (tries - 1));
    return longest * (0.5 + keyedRandom(seed, `pause ${key} ${tries}`).share() / 2);
  }
}

/** Milliseconds that a `Retry-After` header asks for: seconds or a date (RFC 9110, section 10.2.3); undefined for none. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  // A date has the name of its month; Date.parse takes numbers for years too.
  const date = /[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

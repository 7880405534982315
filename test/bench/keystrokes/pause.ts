/** What the wait before a request does: requests that are computed for nothing, and how long an answer takes. */
import { SETTINGS } from '../../../extension/common/contributions.ts';
import { TypingPause } from '../../../extension/common/timing/typingPause.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import { table } from '../../../trainer/replay/table.ts';

const KEYS = 5000;
const SEED = 1;
/** What a request takes: a graphics card, two cores, a model that is too large for them. */
const LATENCIES_MS = [40, 250, 800];
/** Between keys of a word, in milliseconds, and how much they vary. */
const TYPISTS = { fast: { ms: 110, spread: 0.35 }, slow: { ms: 280, spread: 0.35 } };
const PAUSE_SHARE = 0.12;
const PAUSE_MS = [600, 4000] as const;
/** A given-up request is in the way of the next one until its step is done. */
const GIVE_UP_MS = 60;

interface Result {
  asked: number;
  answered: number;
  /** From the key to the answer. */
  waitedMs: number[];
}

/** A table of both waits, the fixed one and the one that follows the typing. Simulated, the same every time. */
export function measurePause(): string {
  const floorMs = SETTINGS.debounceMs.fallback;
  const rows = Object.entries(TYPISTS).flatMap(([name, typist]) =>
    LATENCIES_MS.flatMap((latencyMs) => {
      const pause = new TypingPause();
      const intervals = typing(name, typist);
      const fixed = simulate(intervals, latencyMs, () => floorMs, pause);
      const adapted = simulate(intervals, latencyMs, () => pause.waitMs(floorMs), pause);
      return [row(name, latencyMs, `${floorMs} ms`, fixed), row('', latencyMs, 'adapted', adapted)];
    }),
  );
  const head = ['typist', 'model', 'wait', 'asked / 100 keys', 'for nothing', 'key to answer p50', 'p95'];
  return table([head, ...rows]);
}

function simulate(
  intervals: readonly number[],
  latencyMs: number,
  waitMs: () => number,
  pause: TypingPause,
): Result {
  const result: Result = { asked: 0, answered: 0, waitedMs: [] };
  let now = 0;
  let freeAt = 0;
  for (const interval of intervals) {
    pause.key(now);
    const next = now + interval;
    const sentAt = now + waitMs();
    if (sentAt < next) {
      result.asked++;
      const doneAt = Math.max(sentAt, freeAt) + latencyMs;
      if (doneAt < next) {
        result.answered++;
        result.waitedMs.push(doneAt - now);
        pause.answered(doneAt - sentAt);
        freeAt = doneAt;
      } else freeAt = Math.max(freeAt, next + GIVE_UP_MS);
    }
    now = next;
  }
  return result;
}

function typing(name: string, { ms, spread }: { ms: number; spread: number }): number[] {
  const random = keyedRandom(SEED, name);
  return Array.from({ length: KEYS }, () => {
    if (random.chance(PAUSE_SHARE)) return PAUSE_MS[0] + random.below(PAUSE_MS[1] - PAUSE_MS[0]);
    return ms * (1 - spread) + random.below(2 * ms * spread);
  });
}

function row(name: string, latencyMs: number, wait: string, { asked, answered, waitedMs }: Result): string[] {
  const share = (100 * (asked - answered)) / asked;
  return [
    name,
    `${latencyMs} ms`,
    wait,
    ((100 * asked) / KEYS).toFixed(0),
    `${share.toFixed(0)} %`,
    `${quantile(waitedMs, 0.5).toFixed(0)} ms`,
    `${quantile(waitedMs, 0.95).toFixed(0)} ms`,
  ];
}

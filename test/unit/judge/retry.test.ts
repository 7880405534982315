import assert from 'node:assert/strict';
import { Retrier, retryAfterMs, type Attempt, type RetryOptions } from '../../../trainer/judge/retry.ts';

const OPTIONS: RetryOptions = {
  attempts: 5,
  backoffMs: 100,
  maxBackoffMs: 300,
  maxRetryAfterMs: 5_000,
  seed: 1,
};

/** Time passes only while somebody sleeps. */
class ScriptedClock {
  time = 0;
  readonly slept: number[] = [];
  now(): number {
    return this.time;
  }
  async sleep(milliseconds: number): Promise<void> {
    this.slept.push(milliseconds);
    this.time += milliseconds;
  }
}

const fails = (
  failure: 'timeout' | 'http429' | 'http400',
  after?: number,
  passes = true,
): Attempt<string> => ({ failure, passes, retryAfterMs: after });

async function run(
  script: Attempt<string>[],
  options: Partial<RetryOptions> = {},
  key = 'key',
): Promise<{ result: unknown; slept: number[]; asked: number }> {
  const clock = new ScriptedClock();
  const retrier = new Retrier({ ...OPTIONS, ...options }, clock);
  let asked = 0;
  const result = await retrier.ask(key, async () => script[asked++] ?? { answer: 'late' });
  return { result, slept: clock.slept, asked };
}

describe('asking again', () => {
  it('is not needed when there is an answer', async () => {
    assert.deepEqual(await run([{ answer: 'yes' }]), { result: { answer: 'yes' }, slept: [], asked: 1 });
  });

  it('waits twice as long each time, up to the longest pause, half of it by chance', async () => {
    const { result, slept, asked } = await run(Array.from({ length: 9 }, () => fails('timeout')));
    assert.deepEqual(result, { lost: 'timeout' });
    assert.equal(asked, OPTIONS.attempts);
    assert.equal(slept.length, 4);
    for (const [i, longest] of [100, 200, 300, 300].entries())
      assert.ok(slept[i]! >= longest / 2 && slept[i]! < longest, `pause ${i}: ${slept[i]}`);
  });

  it('draws the same pauses for the same seed and question, and others for others', async () => {
    const script = [fails('timeout'), fails('timeout')];
    const { slept } = await run(script);
    assert.deepEqual((await run(script)).slept, slept);
    assert.notDeepEqual((await run(script, {}, 'other')).slept, slept);
    assert.notDeepEqual((await run(script, { seed: 2 })).slept, slept);
  });

  it('waits as long as the server wants', async () => {
    assert.deepEqual((await run([fails('http429', 2_500)])).slept, [2_500]);
  });

  it('never waits less than its own pause', async () => {
    const [pause] = (await run([fails('http429', 1)])).slept;
    assert.ok(pause! >= 50);
  });

  it('gives up where the server wants too long a pause', async () => {
    const { result, slept, asked } = await run([fails('http429', 5_001)]);
    assert.deepEqual([result, slept, asked], [{ lost: 'http429' }, [], 1]);
  });

  it('is of no use for a failure that stays', async () => {
    const { result, asked } = await run([fails('http400', undefined, false)]);
    assert.deepEqual([result, asked], [{ lost: 'http400' }, 1]);
  });

  it('keeps every other question back too while the server wants a pause', async () => {
    const clock = new ScriptedClock();
    const retrier = new Retrier(OPTIONS, clock);
    const times: number[] = [];
    // The clock is set back after the first question: the second one comes while the server still wants its pause.
    await retrier.ask('first', async () => (clock.time === 0 ? fails('http429', 1_000) : { answer: '' }));
    clock.time = 500;
    await retrier.ask('second', async () => {
      times.push(clock.time);
      return { answer: '' };
    });
    assert.deepEqual(times, [1_000]);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  for (const [header, expected] of [
    [undefined, undefined],
    ['3', 3_000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', undefined],
    ['-3', undefined],
  ] as const)
    it(`${header} is ${expected} ms`, () => assert.equal(retryAfterMs(header, now), expected));
});

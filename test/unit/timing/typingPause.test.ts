import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TypingPause, waitFor } from '../../../extension/common/timing/typingPause.ts';

/** A burst: most keys 120 ms apart, three in ten at 180, and a pause after every tenth. */
const FAST = [120, 120, 180, 120, 120, 180, 120, 180, 120, 1500];
const SLOW = [450, 500, 550, 600, 2000];

describe('the wait before a request', () => {
  const cases: [
    name: string,
    floorMs: number,
    intervalsMs: number[],
    latencyMs: number | undefined,
    ms: number,
  ][] = [
    ['is the floor before anything is known', 75, [], 400, 75],
    ['is the floor while no request was answered', 75, FAST, undefined, 75],
    ['is the floor where an answer comes before the next key', 75, FAST, 30, 75],
    ['is the floor where keys are slower than answers', 75, SLOW, 400, 75],
    ['lets the burst pass where they are not', 75, FAST, 400, 180],
    ['is not longer where the floor is long enough', 180, FAST, 400, 180],
    ['is the floor where no wait up to 200 ms is of use', 75, [250, 280, 290, 320, 340, 350], 5000, 75],
    ['is the floor where that is longer than 200 ms', 500, [550, 600, 900, 1100], 5000, 500],
  ];
  for (const [name, floorMs, intervalsMs, latencyMs, ms] of cases) {
    it(name, () => assert.equal(waitFor(floorMs, intervalsMs, latencyMs), ms));
  }

  const intervals = fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 30 });
  const floors = fc.integer({ min: 50, max: 1000 });
  const latencies = fc.integer({ min: 1, max: 3000 });

  it('is the floor, or up to 200 ms after which one request in three is answered', () => {
    fc.assert(
      fc.property(floors, intervals, latencies, (floorMs, intervalsMs, latencyMs) => {
        const wait = waitFor(floorMs, intervalsMs, latencyMs);
        if (wait === floorMs) return;
        assert.ok(wait > floorMs && wait <= 200);
        const asked = intervalsMs.filter((ms) => ms > wait);
        const answered = asked.filter((ms) => ms > wait + latencyMs);
        assert.ok(3 * answered.length >= asked.length);
      }),
    );
  });

  it('is the floor wherever one request in three is answered with it', () => {
    fc.assert(
      fc.property(floors, intervals, latencies, (floorMs, intervalsMs, latencyMs) => {
        const asked = intervalsMs.filter((ms) => ms > floorMs);
        const answered = asked.filter((ms) => ms > floorMs + latencyMs);
        if (3 * answered.length >= asked.length)
          assert.equal(waitFor(floorMs, intervalsMs, latencyMs), floorMs);
      }),
    );
  });
});

describe('the rhythm of typing', () => {
  const typed = (pause: TypingPause, intervalsMs: number[]) => {
    let at = 0;
    pause.key(at);
    for (const ms of intervalsMs) pause.key((at += ms));
  };

  it('is read from the last keys and answers', () => {
    const pause = new TypingPause();
    for (let answers = 0; answers < 15; answers++) pause.answered(400);
    typed(pause, [...FAST, ...FAST, ...FAST]);
    assert.equal(pause.waitMs(75), 180);
    typed(
      pause,
      Array.from({ length: 30 }, () => 600),
    );
    assert.equal(pause.waitMs(75), 75);
    typed(pause, [...FAST, ...FAST, ...FAST]);
    for (let answers = 0; answers < 15; answers++) pause.answered(20);
    assert.equal(pause.waitMs(75), 75);
  });

  it('takes one slow answer for what it is', () => {
    const pause = new TypingPause();
    typed(pause, FAST);
    for (const ms of [20, 20, 5000, 20]) pause.answered(ms);
    assert.equal(pause.waitMs(75), 75);
  });
});

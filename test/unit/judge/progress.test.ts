import assert from 'node:assert/strict';
import { timeLeft } from '../../../trainer/judge/progress.ts';

describe('the time that a judged run has left', () => {
  for (const [seconds, done, left, expected] of [
    [10, 5, 5, '10 s left'],
    [10, 5, 0, '0 s left'],
    [59, 1, 1, '59 s left'],
    [60, 1, 1, '1 min left'],
    [100, 10, 1000, '2 h 47 min left'],
    [3600, 1, 1, '1 h 0 min left'],
  ] as const)
    it(`is ${expected}`, () => assert.equal(timeLeft(seconds, done, left), expected));
});

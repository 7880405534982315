import assert from 'node:assert/strict';
import { countVerdict, lossesOf, noVerdicts, readVerdict } from '../../../trainer/judge/verdict.ts';

describe('a verdict', () => {
  for (const [answer, expected] of [
    ['Score: 7', 0.7],
    ['score: 10', 1],
    ['Score: 0', 0],
    ['Score: 7/10', 0.7],
    ['**Score:** 8', 0.8],
    ['**Score: 8**', 0.8],
    ['{"score": 6.5}', 0.65],
    ['7', 0.7],
    ['7/10', 0.7],
    ['**7**', 0.7],
    [' 7.\n', 0.7],
    ['It does the same as line 3.\nScore: 9', 0.9],
    ['Score: 9\n\nFinal score: 9', 0.9],
    ['<think>Score: 2, or 3?</think>\nScore: 4', 0.4],
    ['', 'empty'],
    ['  \n', 'empty'],
    ['<think>hm</think>', 'empty'],
    ['<think>Score: 2, or', 'unreadable'],
    ['I cannot grade this.', 'unreadable'],
    ['seven', 'unreadable'],
    ['The completion gets 7 points of 10', 'unreadable'],
    ['7 or 8', 'unreadable'],
    ['Score: good', 'unreadable'],
    ['Scores: 7', 'unreadable'],
    ['{"verdict": 7}', 'unreadable'],
    ['Score: 3\nScore: 4', 'ambiguous'],
    ['Score: 11', 'outOfRange'],
    ['Score: -1', 'outOfRange'],
    ['100', 'outOfRange'],
    ['Score: 1e1', 'unreadable'],
  ] as const)
    it(`${JSON.stringify(answer)} is ${expected}`, () => {
      const verdict = readVerdict(answer);
      assert.deepEqual(verdict, typeof expected === 'number' ? { score: expected } : { lost: expected });
    });

  it('is counted once, by what became of it', () => {
    const counts = noVerdicts();
    countVerdict(counts, { score: 0 });
    countVerdict(counts, { score: 1, cached: true });
    countVerdict(counts, { lost: 'timeout' });
    countVerdict(counts, { lost: 'timeout' });
    countVerdict(counts, { lost: 'http500' });
    assert.deepEqual(counts, { scored: 2, cached: 1, lost: { timeout: 2, http500: 1 } });
    assert.deepEqual(lossesOf(counts), { lost: 3, asked: 5 });
  });
});

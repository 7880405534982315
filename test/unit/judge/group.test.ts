import assert from 'node:assert/strict';
import { groupAdvantages } from '../../../trainer/judge/group.ts';

describe('the advantages of a group', () => {
  for (const [rewards, expected] of [
    [
      [1, 0],
      [1, -1],
    ],
    [
      [0, 1],
      [-1, 1],
    ],
    [
      [1, 0, 0, 0],
      [Math.sqrt(3), -1 / Math.sqrt(3), -1 / Math.sqrt(3), -1 / Math.sqrt(3)],
    ],
    [
      [0.2, 0.4],
      [-1, 1],
    ],
    [
      [1, 2, 3],
      [-Math.sqrt(1.5), 0, Math.sqrt(1.5)],
    ],
    [[], null],
    [[1], null],
    [[1, 1, 1], null],
    [[0, 0], null],
    [[0.1 + 0.2, 0.3], null],
  ] as [number[], number[] | null][])
    it(`${JSON.stringify(rewards)}`, () => {
      const advantages = groupAdvantages(rewards);
      if (expected === null) return assert.equal(advantages, null);
      assert.equal(advantages!.length, expected.length);
      for (const [i, value] of expected.entries()) assert.ok(Math.abs(advantages![i]! - value) < 1e-9);
    });
});

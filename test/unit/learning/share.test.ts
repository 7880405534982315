import assert from 'node:assert/strict';
import type { Score } from '../../../extension/common/contracts/index.ts';
import { servesWhole } from '../../../trainer/learning/share.ts';

const scores = (logprobs: number[]): Score[] =>
  logprobs.map((logprob, i) => ({
    id: String(i),
    logprob,
    tokens: 10,
    exact: false,
    silent: false,
    length: 10,
    repeated: 0,
    kl: 0,
  }));
const flat = (count: number): Score[] => scores(Array<number>(count).fill(-20));

describe('servesWhole', () => {
  it('wants a proof that all of it is better than the share', () => {
    assert.equal(servesWhole(flat(6), scores([-12, -10, -13, -11, -12, -9])), true);
    assert.equal(servesWhole(flat(6), scores([-18, -23, -17, -21, -19, -21])), false);
    assert.equal(servesWhole(flat(6), scores([-28, -29, -27, -28, -29, -28])), false);
  });

  it('proves nothing with a few events', () => {
    assert.equal(servesWhole(flat(3), scores([-1, -1, -1])), false);
    assert.equal(servesWhole([], []), false);
  });
});

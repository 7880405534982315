import assert from 'node:assert/strict';
import { confidenceOf } from '../../../extension/common/suggestion/confidence.ts';

describe('confidence of a suggestion', () => {
  const logprobs = [Math.log(0.5), -2, -4];
  const ends = [3, 5, 9];
  const cases: [what: string, chars: number, count: number][] = [
    ['the whole text', 9, 3],
    ['a text that ends with a token', 5, 2],
    ['a text that ends inside a token', 6, 3],
    ['its first character', 1, 1],
    ['nothing shown: the choice of all of it', 0, 3],
  ];
  for (const [what, chars, count] of cases) {
    it(what, () => {
      const { meanLogprob, minLogprob, firstProbability } = confidenceOf(logprobs, ends, chars)!;
      const shown = logprobs.slice(0, count);
      assert.equal(meanLogprob, shown.reduce((sum, one) => sum + one, 0) / count);
      assert.equal(minLogprob, shown.at(-1));
      assert.ok(Math.abs(firstProbability - 0.5) < 1e-12);
    });
  }

  it('counts the tokens of a character that ends in a later one', () => {
    assert.equal(confidenceOf([-1, -2, -9], [0, 1, 2], 1)!.minLogprob, -2);
  });

  it('is not known where nothing was generated', () => {
    assert.equal(confidenceOf([], [], 0), null);
  });
});

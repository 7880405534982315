import assert from 'node:assert/strict';
import type { Score } from '../../../extension/common/contracts/index.ts';
import { chooseShare } from '../../../trainer/learning/share.ts';

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

/** Scores by share of held-out events whose log-probability is best at `best`, with a little noise of its own each. */
const curve =
  (best: number, events = 12, noise = 0.5) =>
  (share: number): Promise<Score[]> =>
    Promise.resolve(
      scores(
        Array.from({ length: events }, (_, i) => -20 - 40 * (share - best) ** 2 + noise * share * (i % 3)),
      ),
    );
const SHARES = [0, 0.25, 0.5, 0.75, 1];

describe('chooseShare', () => {
  for (const best of SHARES)
    it(`finds the share ${best}`, async () => {
      assert.equal((await chooseShare(0.5, SHARES, curve(best, 12, 0))).share, best);
    });

  it('wants a proof that another is better', async () => {
    const atStart = flat(12);
    const under = async (other: number[]) =>
      chooseShare(0.5, [0.5, 1], (share) => Promise.resolve(share === 0.5 ? atStart : scores(other)));
    const better = Array.from({ length: 12 }, (_, i) => -12 + (i % 3));
    const luck = Array.from({ length: 12 }, (_, i) => -20 + (i % 2 === 0 ? 4 : -3));
    const worse = Array.from({ length: 12 }, () => -28);
    assert.equal((await under(better)).share, 1);
    assert.equal((await under(luck)).share, 0.5);
    assert.equal((await under(worse)).share, 0.5);
  });

  it('proves nothing with a few events, and less of the way back', async () => {
    const shareOf = async (best: number, events: number) =>
      (await chooseShare(0.5, SHARES, curve(best, events, 0))).share;
    assert.deepEqual([await shareOf(1, 3), await shareOf(1, 4)], [0.5, 1]);
    assert.deepEqual([await shareOf(0, 7), await shareOf(0, 8)], [0.5, 0]);
    assert.equal(await shareOf(1, 0), 0.5);
  });

  it('scores no share that it has no reason for, and none where there is no choice', async () => {
    const asked: number[] = [];
    const counting = (best: number) => (share: number) => {
      asked.push(share);
      return curve(best, 12, 0)(share);
    };
    await chooseShare(0.5, SHARES, counting(0.5));
    assert.deepEqual(asked.splice(0), [0.5, 0.75, 0.25]);
    await chooseShare(0.5, SHARES, counting(1));
    assert.deepEqual(asked.splice(0), [0.5, 0.75, 1]);
    await chooseShare(0.5, SHARES, counting(0));
    assert.deepEqual(asked.splice(0), [0.5, 0.75, 0.25, 0]);
    for (const shares of [[], [0.5]]) assert.equal((await chooseShare(0.5, shares, counting(1))).share, 0.5);
    assert.deepEqual(asked, []);
  });

  it('tells what the others would have gained', async () => {
    const { gains } = await chooseShare(0.5, SHARES, curve(0, 12, 0));
    assert.ok(gains.get(0)! > gains.get(0.25)! && gains.get(0.25)! > 0 && gains.get(0.75)! < 0);
    assert.equal(gains.has(1), false);
  });
});

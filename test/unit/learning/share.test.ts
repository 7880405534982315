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
  (best: number, noise = 0) =>
  (share: number, count: number): Promise<Score[]> =>
    Promise.resolve(
      scores(
        Array.from({ length: count }, (_, i) => -20 - 40 * (share - best) ** 2 + noise * share * (i % 3)),
      ),
    );
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const EVENTS = 12;

describe('chooseShare', () => {
  for (const best of SHARES)
    it(`finds the share ${best}`, async () => {
      assert.equal((await chooseShare(0.5, SHARES, EVENTS, curve(best))).share, best);
    });

  it('wants a proof that another is better', async () => {
    const atStart = flat(EVENTS);
    const under = async (other: number[]) =>
      chooseShare(0.5, [0.5, 1], EVENTS, (share, count) =>
        Promise.resolve((share === 0.5 ? atStart : scores(other)).slice(0, count)),
      );
    const better = Array.from({ length: EVENTS }, (_, i) => -12 + (i % 3));
    const luck = Array.from({ length: EVENTS }, (_, i) => -20 + (i % 2 === 0 ? 4 : -3));
    const worse = Array.from({ length: EVENTS }, () => -28);
    // What the first eight prove is taken back by the others.
    const early = Array.from({ length: EVENTS }, (_, i) => (i < 8 ? -18 : -40));
    assert.equal((await under(better)).share, 1);
    for (const other of [luck, worse, early]) assert.equal((await under(other)).share, 0.5);
  });

  it('proves nothing with a few events, and less of the way back', async () => {
    const shareOf = async (best: number, events: number) =>
      (await chooseShare(0.5, SHARES, events, curve(best))).share;
    assert.deepEqual([await shareOf(1, 3), await shareOf(1, 4)], [0.5, 1]);
    assert.deepEqual([await shareOf(0, 7), await shareOf(0, 8)], [0.5, 0]);
    assert.equal(await shareOf(1, 0), 0.5);
  });

  it('scores no share and no event that it has no reason for', async () => {
    const asked = async (best: number, shares: number[], events: number): Promise<[number, number][]> => {
      const most = new Map<number, number>();
      await chooseShare(0.5, shares, events, (share, count) => {
        most.set(share, Math.max(count, most.get(share) ?? 0));
        return curve(best)(share, count);
      });
      return [...most];
    };
    const short: [number, number][] = [
      [0.5, 8],
      [0.75, 8],
      [0.25, 8],
    ];
    assert.deepEqual(await asked(0.5, SHARES, EVENTS), short);
    assert.deepEqual(await asked(1, SHARES, 40), [
      [0.5, 16],
      [0.75, 16],
      [1, 16],
    ]);
    assert.deepEqual(await asked(0, SHARES, EVENTS), [
      [0.5, 12],
      [0.75, 8],
      [0.25, 12],
      [0, 12],
    ]);
    for (const shares of [[], [0.5]]) assert.deepEqual(await asked(1, shares, EVENTS), []);
  });

  it('tells what the others would have gained', async () => {
    const { gains } = await chooseShare(0.5, SHARES, EVENTS, curve(0, 0.5));
    assert.ok(gains.get(0)! > gains.get(0.25)! && gains.get(0.25)! > 0 && gains.get(0.75)! < 0);
    assert.equal(gains.has(1), false);
  });
});

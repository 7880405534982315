import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  episodeOf,
  episodeReward,
  type EpisodeSuggestion,
} from '../../../extension/common/reward/episode.ts';

const OPTIONS = { acceptThreshold: 0.25, episodeWeight: 0.5, episodeDiscount: 0.9 };
const SECOND = 1000;
const suggestion = (change: Partial<EpisodeSuggestion> = {}): EpisodeSuggestion => ({
  at: 0,
  offset: 100,
  shownChars: 10,
  keptChars: 0,
  ...change,
});
const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);

describe('an editing episode', () => {
  const cases: [name: string, next: Partial<EpisodeSuggestion>, length: number][] = [
    ['goes on a little later, a little farther', { at: 20 * SECOND, offset: 140 }, 2],
    ['goes on behind what was kept', { at: 20 * SECOND, offset: 100 + 390 + 400 }, 2],
    ['ends after a minute without a suggestion', { at: 61 * SECOND, offset: 140 }, 1],
    ['ends where the developer goes somewhere else', { at: 20 * SECOND, offset: 1000 }, 1],
    ['ends where the developer goes back to the top', { at: 20 * SECOND, offset: 0 }, 1],
  ];
  for (const [name, next, length] of cases)
    it(name, () => {
      const before = name.includes('kept')
        ? suggestion({ shownChars: 390, keptChars: 390 })
        : suggestion({ offset: name.includes('top') ? 500 : 100 });
      const all = [before, suggestion(next)];
      assert.equal(episodeOf(all, 0).episode.length, length);
      assert.deepEqual(episodeOf(all, 1), { episode: all.slice(2 - length), index: length - 1 });
    });

  it('is the same for each of its suggestions', () => {
    const all = [0, 30, 50, 200, 220].map((seconds) => suggestion({ at: seconds * SECOND }));
    assert.deepEqual(episodeOf(all, 0).episode, all.slice(0, 3));
    assert.deepEqual(episodeOf(all, 2), { episode: all.slice(0, 3), index: 2 });
    assert.deepEqual(episodeOf(all, 3), { episode: all.slice(3), index: 0 });
  });
});

describe('the reward of an episode', () => {
  const kept = suggestion({ keptChars: 10 });
  const lost = suggestion();
  it('is what stays of all its suggestions, discounted for those that follow', () => {
    const episode = [lost, kept, kept];
    near(episodeReward(-0.25, { episode, index: 0 }, OPTIONS), 0.5 * -0.25 + 0.5 * 0.81 * (2 / 3 - 0.25));
    near(episodeReward(0.75, { episode, index: 2 }, OPTIONS), 0.5 * 0.75 + 0.5 * (2 / 3 - 0.25));
  });

  it('counts characters, not suggestions', () => {
    const long = suggestion({ shownChars: 90, keptChars: 90 });
    near(episodeReward(0.75, { episode: [lost, long], index: 1 }, OPTIONS), 0.5 * 0.75 + 0.5 * (0.9 - 0.25));
  });

  it('leaves a suggestion alone that is an episode by itself, an episode of nothing shown, and weight 0', () => {
    const nothing = suggestion({ shownChars: 0 });
    assert.equal(episodeReward(0.4, { episode: [kept], index: 0 }, OPTIONS), 0.4);
    assert.equal(episodeReward(0, { episode: [nothing, nothing], index: 0 }, OPTIONS), 0);
    const off = { ...OPTIONS, episodeWeight: 0 };
    assert.equal(episodeReward(0.4, { episode: [kept, lost], index: 0 }, off), 0.4);
  });

  it('stays within −p* and 1 − p*', () => {
    const part = fc.record({
      shown: fc.integer({ min: 0, max: 99 }),
      share: fc.float({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 9 }), fc.nat(), (parts, n) => {
        const episode = parts.map(({ shown, share }) =>
          suggestion({ shownChars: shown, keptChars: share * shown }),
        );
        for (const own of [-0.25, 0, 0.75]) {
          const reward = episodeReward(own, { episode, index: n % episode.length }, OPTIONS);
          assert.ok(reward >= -0.25 - 1e-9 && reward <= 0.75 + 1e-9);
        }
      }),
    );
  });
});

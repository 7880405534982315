import assert from 'node:assert/strict';
import { rewardOf, type RewardFacts } from '../../../extension/common/reward/reward.ts';

const facts = (outcome: RewardFacts['outcome'], rest: Partial<RewardFacts> = {}): RewardFacts => ({
  outcome,
  evidence: 'command',
  shownChars: 20,
  shownMs: 1000,
  retained: 1,
  ...rest,
});

/** [what, facts, reward, weight], at p* = 0.25; null: no policy sample. */
const cases: [string, RewardFacts, { reward: number; weight: number } | null][] = [
  ['accepted', facts({ kind: 'accepted' }), { reward: 0.75, weight: 1 }],
  [
    'accepted, retention unknown',
    facts({ kind: 'accepted' }, { retained: null }),
    { reward: 0.75, weight: 1 },
  ],
  ['accepted, 80 % retained', facts({ kind: 'accepted' }, { retained: 0.8 }), { reward: 0.6, weight: 1 }],
  ['accepted, 40 % retained', facts({ kind: 'accepted' }, { retained: 0.4 }), { reward: -0.25, weight: 1 }],
  ['half accepted', facts({ kind: 'partiallyAccepted', chars: 10 }), { reward: 0.25, weight: 1 }],
  ['typed through to 95 %', facts({ kind: 'typedThrough', chars: 19 }), { reward: 0.75, weight: 1 }],
  ['typed through to half', facts({ kind: 'typedThrough', chars: 10 }), { reward: 0.25, weight: 1 }],
  ['escape', facts({ kind: 'rejected', how: 'escape' }), { reward: -0.25, weight: 1 }],
  [
    'typed against, observed',
    facts({ kind: 'rejected', how: 'typedAgainst' }, { evidence: 'observed' }),
    { reward: -0.25, weight: 0.5 },
  ],
  [
    'typed against before it could be read',
    facts({ kind: 'rejected', how: 'typedAgainst' }, { evidence: 'observed', shownMs: 700 }),
    null,
  ],
  ['rejection only inferred', facts({ kind: 'rejected', how: 'movedAway' }, { evidence: 'inferred' }), null],
  ['ignored', facts({ kind: 'ignored', shownMs: 100 }), null],
  ['suppressed', facts({ kind: 'suppressed', by: 'empty' }), null],
  ['silent', facts({ kind: 'silent' }), { reward: 0, weight: 1 }],
];

describe('rewardOf', () => {
  for (const [name, given, expected] of cases) {
    it(name, () => {
      const actual = rewardOf(given);
      if (expected === null) return assert.equal(actual, null);
      assert.ok(actual && Math.abs(actual.reward - expected.reward) < 1e-12, `reward ${actual?.reward}`);
      assert.equal(actual.weight, expected.weight);
    });
  }

  it('moves with p*', () => {
    const options = { acceptThreshold: 0.4, observedWeight: 0.5 };
    assert.equal(rewardOf(facts({ kind: 'rejected', how: 'escape' }), options)?.reward, -0.4);
    assert.equal(rewardOf(facts({ kind: 'accepted' }), options)?.reward, 0.6);
  });
});

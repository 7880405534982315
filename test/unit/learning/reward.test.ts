import assert from 'node:assert/strict';
import { rewardOf, type RewardFacts } from '../../../extension/common/reward/reward.ts';
import { survivalOf } from '../../../extension/common/reward/survival.ts';

const facts = (outcome: RewardFacts['outcome'], rest: Partial<RewardFacts> = {}): RewardFacts => ({
  outcome,
  evidence: 'command',
  shownChars: 20,
  shownMs: 1000,
  retained: 1,
  ...rest,
});

type Case = [string, RewardFacts, { reward: number; weight: number } | null];
const accepted = { kind: 'accepted' } as const;
const part = (chars: number) => ({ kind: 'partiallyAccepted', chars }) as const;
const typed = (chars: number) => ({ kind: 'typedThrough', chars }) as const;
const rejected = (how: 'escape' | 'typedAgainst' | 'movedAway') => ({ kind: 'rejected', how }) as const;

/** By rule: [what, facts, reward and weight], at p* = 0.25; null: no policy sample. */
const tables: Record<RewardFacts['outcome']['kind'], Case[]> = {
  accepted: [
    ['and kept', facts(accepted), { reward: 0.75, weight: 1 }],
    ['survival unknown', facts(accepted, { retained: null }), { reward: 0.75, weight: 1 }],
    ['80 % kept', facts(accepted, { retained: 0.8 }), { reward: 0.6, weight: 1 }],
    ['half kept', facts(accepted, { retained: 0.5 }), { reward: 0.375, weight: 1 }],
    ['less than half kept', facts(accepted, { retained: 0.49 }), { reward: -0.25, weight: 1 }],
    ['reverted', facts(accepted, { retained: 0 }), { reward: -0.25, weight: 1 }],
    ['how it was shown is not known', facts(accepted, { evidence: 'inferred' }), { reward: 0.75, weight: 1 }],
  ],
  partiallyAccepted: [
    ['half', facts(part(10)), { reward: 0.25, weight: 1 }],
    ['a tenth', facts(part(2)), { reward: 0.1 * 0.75 - 0.9 * 0.25, weight: 1 }],
    ['as far as p*', facts(part(5)), { reward: 0, weight: 1 }],
    ['more than was shown', facts(part(40)), { reward: 0.75, weight: 1 }],
    ['survival unknown', facts(part(10), { retained: null }), { reward: 0.25, weight: 1 }],
    ['half, 80 % of it kept', facts(part(10), { retained: 0.8 }), { reward: 0.15, weight: 1 }],
    ['half, 40 % of it kept', facts(part(10), { retained: 0.4 }), { reward: -0.25, weight: 1 }],
    ['half, reverted', facts(part(10), { retained: 0 }), { reward: -0.25, weight: 1 }],
    ['of nothing shown', facts(part(1), { shownChars: 0 }), { reward: -0.25, weight: 1 }],
  ],
  typedThrough: [
    ['90 %', facts(typed(18)), { reward: 0.75, weight: 1 }],
    ['90 %, not seen', facts(typed(18), { evidence: 'inferred' }), { reward: 0.75, weight: 1 }],
    ['90 %, reverted', facts(typed(18), { retained: 0.2 }), { reward: -0.25, weight: 1 }],
    ['under 90 %', facts(typed(17)), { reward: 0.85 * 0.75 - 0.15 * 0.25, weight: 1 }],
    ['half', facts(typed(10)), { reward: 0.25, weight: 1 }],
    ['half, observed', facts(typed(10), { evidence: 'observed' }), { reward: 0.25, weight: 0.5 }],
    ['half, not seen', facts(typed(10), { evidence: 'inferred' }), null],
  ],
  rejected: [
    ['Escape', facts(rejected('escape')), { reward: -0.25, weight: 1 }],
    ["the editor's event", facts(rejected('movedAway'), { evidence: 'event' }), { reward: -0.25, weight: 1 }],
    [
      'typed against, observed',
      facts(rejected('typedAgainst'), { evidence: 'observed' }),
      { reward: -0.25, weight: 0.5 },
    ],
    [
      'observed for 750 ms',
      facts(rejected('movedAway'), { evidence: 'observed', shownMs: 750 }),
      { reward: -0.25, weight: 0.5 },
    ],
    ['before it was read', facts(rejected('movedAway'), { evidence: 'observed', shownMs: 749 }), null],
    ['only inferred', facts(rejected('movedAway'), { evidence: 'inferred' }), null],
  ],
  ignored: [
    ['shown briefly', facts({ kind: 'ignored', shownMs: 100 }), null],
    ['superseded', facts({ kind: 'ignored', shownMs: 9000, supersededBy: 'x' }, { evidence: 'event' }), null],
  ],
  suppressed: [['by a filter', facts({ kind: 'suppressed', by: 'loneCloser' }), null]],
  silent: [['the model ended at once', facts({ kind: 'silent' }), { reward: 0, weight: 1 }]],
};

describe('rewardOf', () => {
  for (const [kind, cases] of Object.entries(tables))
    for (const [name, given, expected] of cases)
      it(`${kind}: ${name}`, () => {
        const actual = rewardOf(given);
        if (expected === null) return assert.equal(actual, null);
        assert.ok(actual && Math.abs(actual.reward - expected.reward) < 1e-12, `reward ${actual?.reward}`);
        assert.equal(actual.weight, expected.weight);
      });

  it('moves with p*', () => {
    const options = { acceptThreshold: 0.4, observedWeight: 0.5 };
    assert.equal(rewardOf(facts({ kind: 'rejected', how: 'escape' }), options)?.reward, -0.4);
    assert.equal(rewardOf(facts({ kind: 'accepted' }), options)?.reward, 0.6);
  });

  it('makes showing pay from a chance of p* on', () => {
    for (const acceptThreshold of [0.1, 0.25, 0.6]) {
      const options = { acceptThreshold, observedWeight: 0.5 };
      const taken = rewardOf(facts(accepted), options)!.reward;
      const refused = rewardOf(facts(rejected('escape')), options)!.reward;
      assert.ok(Math.abs(acceptThreshold * taken + (1 - acceptThreshold) * refused) < 1e-12);
    }
  });
});

describe('survivalOf', () => {
  const at = (...seen: [number, number | null][]) =>
    survivalOf(seen.map(([afterSeconds, fraction]) => ({ afterSeconds, fraction })));
  const cases: [string, ReturnType<typeof at>, ReturnType<typeof survivalOf>][] = [
    ['nothing told', at(), null],
    ['half a minute is not the end', at([30, 1]), { fraction: 1, settled: false }],
    ['two minutes', at([30, 1], [120, 0.9]), { fraction: 0.9, settled: true }],
    ['reverted later', at([120, 1], [300, 0]), { fraction: 0, settled: true }],
    ['in whatever order it comes', at([600, 0.2], [30, 1], [120, 1]), { fraction: 0.2, settled: true }],
    [
      'the editor was closed later',
      at([120, 0.4], [300, null], [600, null]),
      { fraction: 0.4, settled: true },
    ],
    ['closed before two minutes', at([30, 0], [120, null]), { fraction: 0, settled: true }],
    ['never seen', at([30, null], [120, null]), { fraction: null, settled: true }],
  ];
  for (const [name, actual, expected] of cases) it(name, () => assert.deepEqual(actual, expected));
});

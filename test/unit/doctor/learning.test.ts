import assert from 'node:assert/strict';
import { learningFindings, type LearningFacts } from '../../../trainer/doctor/learning.ts';

const HEALTHY: LearningFacts = {
  completions: 200,
  greedy: 0,
  heldOut: 20,
  undecided: 3,
  trained: 64,
  dropped: { nothingToLearn: 9 },
  runs: [{ decision: 'promoted', reason: 'Better by 0.05 nats a token.' }],
  enabled: true,
  pausedByUser: false,
  batchEvents: 16,
  companion: null,
};
const FRESH: Partial<LearningFacts> = {
  completions: 0,
  heldOut: 0,
  undecided: 0,
  trained: 0,
  dropped: {},
  runs: [],
};

describe('why nothing is learned', () => {
  const cases: [string, Partial<LearningFacts>, 'ok' | 'warning' | 'problem', RegExp][] = [
    [
      'all goes well',
      {},
      'ok',
      /^64 outcomes were learned from, 3 wait, 20 are held out, nothingToLearn 9 left out\. Last update: promoted\. Better/,
    ],
    ['nothing has come', FRESH, 'warning', /^Nothing has been recorded yet/],
    [
      'completions without feedback',
      { ...FRESH, completions: 40 },
      'warning',
      /^40 completions are recorded and no feedback/,
    ],
    ['all held out', { ...FRESH, completions: 9, heldOut: 9 }, 'warning', /^All 9 outcomes are held out/],
    [
      'nothing to learn from any',
      { ...FRESH, completions: 9, heldOut: 2, dropped: { nothingToLearn: 5, unknownCompletion: 2 } },
      'warning',
      /^Nothing could be learned from 7 of 9 outcomes \(nothingToLearn 5, unknownCompletion 2\)/,
    ],
    [
      'too few, not asked',
      { ...FRESH, completions: 9, undecided: 5 },
      'warning',
      /^Too few settled events.*: 5 outcomes wait; it begins at 16\.$/,
    ],
    [
      'too few, asked',
      {
        ...FRESH,
        completions: 9,
        undecided: 5,
        companion: { trouble: null, pause: null, queued: 4, open: 1 },
      },
      'warning',
      /: 4 outcomes are settled and 1 wait for what is typed next/,
    ],
    ['temperature 0', { greedy: 190 }, 'warning', /^190 of 200 completions were asked for at temperature 0/],
    ['paused by hand', { pausedByUser: true, enabled: false }, 'warning', /^Learning is paused by hand/],
    ['switched off', { enabled: false }, 'warning', /^Training by itself is switched off/],
    [
      'failed',
      { runs: [{ decision: 'failed', reason: 'The learner ended.' }] },
      'problem',
      /^The last update failed: The learner ended\.$/,
    ],
    [
      'trouble',
      { companion: { trouble: 'The disk is full.', pause: null, queued: 0, open: 0 } },
      'problem',
      /^The companion can't train: The disk is full\.$/,
    ],
    [
      'on battery',
      { companion: { trouble: null, pause: 'It waits for mains.', queued: 20, open: 0 } },
      'warning',
      /^It waits for mains\.$/,
    ],
    [
      'refused again and again',
      { runs: Array.from({ length: 3 }, () => ({ decision: 'rejected', reason: 'Worse by 0.02.' })) },
      'warning',
      /^The last 3 updates were refused by the gate: Worse by 0\.02\.$/,
    ],
  ];
  for (const [name, change, status, text] of cases)
    it(name, () => {
      const found = learningFindings({ ...HEALTHY, ...change });
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.equal(found[0]!.status, status);
      assert.match(found[0]!.text, text);
      assert.equal(found[0]!.remedy !== undefined, status !== 'ok' && name !== 'on battery');
    });

  it('is told in full when there are several reasons', () => {
    const found = learningFindings({
      ...HEALTHY,
      ...FRESH,
      completions: 8,
      greedy: 8,
      undecided: 2,
      enabled: false,
    });
    assert.deepEqual(
      found.map(({ text }) => text.split(/[ :]/)[0]),
      ['Training', '8', 'Too'],
    );
  });

  it('is not a few greedy completions, nor a single refusal', () => {
    for (const change of [{ greedy: 100 }, { runs: [{ decision: 'rejected', reason: '' }] }])
      assert.equal(learningFindings({ ...HEALTHY, ...change })[0]!.status, 'ok');
  });
});

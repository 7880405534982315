import assert from 'node:assert/strict';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { decideDisplay, drawOf, hideUnlikely } from '../../../extension/common/display/decision.ts';
import { labelOf } from '../../../extension/common/display/label.ts';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { rewardOf, type RewardFacts } from '../../../extension/common/reward/reward.ts';
import { EditorSim } from '../extension/editorSim.ts';

const CONTEXT = { prefix: 'const a = ', suffix: '\n' };
const UNLIKELY = { before: 0.3, after: 0.1, threshold: 0.125 };

describe('the display filter', () => {
  it('shows what is likely enough, and two in a hundred of the rest', () => {
    const cases: [number, number, boolean, boolean, number][] = [
      [0.125, 0.5, true, false, 1],
      [0.9, 0, true, false, 1],
      [0.124, 0.5, false, false, 0.98],
      [0.124, 0.02, false, false, 0.98],
      [0.124, 0.019, true, true, 0.02],
    ];
    for (const [chance, draw, shown, explored, propensity] of cases)
      assert.deepEqual(decideDisplay(chance, 0.125, draw), {
        ...{ shown, chance, threshold: 0.125, explored, propensity },
      });
  });

  it('hides a text under its own name, and nothing else of the result changes', () => {
    const filtered = applyFilters('compute();', CONTEXT);
    const hidden = hideUnlikely(filtered, UNLIKELY, 0.5);
    assert.deepEqual([hidden.text, hidden.hiddenBy, hidden.silent], ['', 'unlikely', false]);
    assert.deepEqual(hidden.filters, ['unlikely']);
    assert.equal(hidden.steps.at(-1)!.lostChars, 'compute();'.length);
    assert.equal(hidden.display!.propensity, 0.98);
    const explored = hideUnlikely(filtered, UNLIKELY, 0.01);
    assert.deepEqual([explored.text, explored.display!.explored], ['compute();', true]);
    assert.equal(explored.hiddenBy, undefined);
  });

  it('decides nothing where nothing is predicted or shown', () => {
    const filtered = applyFilters('compute();', CONTEXT);
    assert.equal(hideUnlikely(filtered, undefined, 0.5), filtered);
    assert.equal(hideUnlikely(filtered, { before: 0.1, threshold: 0.125 }, 0.5), filtered);
    const silent = applyFilters('', CONTEXT);
    assert.equal(hideUnlikely(silent, UNLIKELY, 0.5), silent);
  });

  it('draws evenly from the ids of completions, the same for the same', () => {
    const ids = Array.from({ length: 2000 }, () => uuidv7());
    const explored = ids.filter((id) => drawOf(id) < 0.25).length;
    assert.ok(explored > 400 && explored < 600, `${explored} of 2000 below a quarter`);
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), (id) => {
        const draw = drawOf(id);
        return draw >= 0 && draw < 1 && draw === drawOf(id);
      }),
    );
  });

  it('writes its decision into the outcome, of what it hid and of what it showed', () => {
    const display = decideDisplay(0.1, 0.125, 0.01);
    const shown = new EditorSim('x = |').offer('a', 'foo', { display }).wait(800).accept('a', 'foo');
    const [outcome] = shown.events.filter((event) => event.kind === 'outcome');
    assert.deepEqual(outcome!.display, display);
    const plain = new EditorSim('x = |').withhold('b', 'foo', 'unlikely');
    assert.ok(!('display' in plain.events[0]!));
  });
});

describe('labelOf', () => {
  const facts = (outcome: RewardFacts['outcome'], retained: number | null = 1): RewardFacts => ({
    ...{ outcome, evidence: 'command', shownChars: 10, shownMs: 1000, retained },
  });
  const options = { acceptThreshold: 0.25, observedWeight: 0.5 };
  const cases: [string, RewardFacts, number | null][] = [
    ['accepted', facts({ kind: 'accepted' }), 1],
    ['accepted and reverted', facts({ kind: 'accepted' }, 0), 0],
    ['a part', facts({ kind: 'partiallyAccepted', chars: 4 }), 0.4],
    ['rejected', facts({ kind: 'rejected', how: 'escape' }), 0],
    ['silent: nothing to judge', facts({ kind: 'silent' }), null],
    ['ignored', facts({ kind: 'ignored', shownMs: 0 }), null],
    ['hidden', facts({ kind: 'suppressed', by: 'unlikely' }), null],
  ];
  for (const [name, given, worth] of cases)
    it(name, () => {
      const label = labelOf(given, options);
      if (worth === null) return assert.equal(label, null);
      assert.ok(Math.abs(label!.worth - worth) < 1e-12);
      assert.ok(Math.abs(rewardOf(given, options)!.reward - (label!.worth - 0.25)) < 1e-12);
    });
});

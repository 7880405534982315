import assert from 'node:assert/strict';
import type { ServedOutcome } from '../../../trainer/store/types.ts';
import { repeatsSuffix, servedFigures, tallyOf } from '../../../trainer/monitor/tally.ts';
import { served } from '../../fixtures/served.ts';

describe('what is counted of what was served', () => {
  const text = 'twelve chars';
  // Outcome, reward's opinion (hits of judged), characters that stay by request.
  const cases: [string, Partial<ServedOutcome>, [number, number], number][] = [
    ['accepted and kept', { outcome: { kind: 'accepted' } }, [1, 1], 12],
    ['accepted, not looked at yet', { outcome: { kind: 'accepted' }, retained: null }, [1, 1], 12],
    ['accepted, then deleted', { outcome: { kind: 'accepted' }, retained: 0 }, [0, 1], 0],
    ['accepted, a quarter kept', { outcome: { kind: 'accepted' }, retained: 0.25 }, [0, 1], 3],
    ['half taken', { outcome: { kind: 'partiallyAccepted', chars: 6 } }, [1, 1], 6],
    ['a little taken', { outcome: { kind: 'partiallyAccepted', chars: 1 } }, [0, 1], 1],
    ['typed out', { outcome: { kind: 'typedThrough', chars: 12 }, retained: 0.5 }, [1, 1], 6],
    ['typed in part', { outcome: { kind: 'typedThrough', chars: 6 }, retained: 0.5 }, [1, 1], 6],
    ['rejected', { outcome: { kind: 'rejected', how: 'escape' } }, [0, 1], 0],
    ['display guessed', { outcome: { kind: 'rejected', how: 'movedAway' }, evidence: 'inferred' }, [0, 0], 0],
    ['silent', { outcome: { kind: 'silent' }, shownText: '', rawText: '' }, [0, 0], 0],
    ['suppressed', { outcome: { kind: 'suppressed', by: 'x' }, shownText: '' }, [0, 0], 0],
  ];
  for (const [name, change, [hits, of], chars] of cases)
    it(`${name}`, () => {
      const tally = tallyOf([served({ rawText: text, ...change })]);
      assert.deepEqual(tally.worth, { hits, of });
      assert.deepEqual(tally.retainedChars, { of: 1, sum: chars, squares: chars * chars });
    });

  it('leaves what was ignored out of what stays, and counts its text', () => {
    const tally = tallyOf([served({ outcome: { kind: 'ignored', shownMs: 1 }, rawText: ';' })]);
    assert.equal(tally.retainedChars.of, 0);
    assert.equal(tally.worth.of, 0);
    assert.deepEqual(tally.oneCharacter, { hits: 1, of: 1 });
  });

  it('counts kinds of text over what they can be found in', () => {
    const tally = tallyOf([
      served(),
      served({ outcome: { kind: 'silent' }, shownText: '', rawText: '' }),
      served({ outcome: { kind: 'suppressed', by: 'x' }, shownText: '', rawText: 'xy'.repeat(30) }),
      served({ rawText: ' ;' }),
      served({ rawText: '😀' }),
    ]);
    assert.deepEqual(tally.silent, { hits: 1, of: 5 });
    assert.deepEqual(tally.suppressed, { hits: 1, of: 5 });
    assert.deepEqual(tally.oneCharacter, { hits: 2, of: 3 });
    assert.deepEqual(tally.repetitive, { hits: 1, of: 4 });
    assert.equal(servedFigures(tally)['served/silent_share'], 0.2);
  });

  it('has figures of nothing', () => {
    assert.ok(Object.values(servedFigures(tallyOf([]))).every((value) => value === 0));
  });

  const repeats: [string, string, string, boolean][] = [
    ['the rest of the line', 'total)', 'total);', true],
    ['the rest of the line after more', 'sum(total);', 'total);', true],
    ['the next line', '\n  return total;', '\n  return total;\n}', true],
    ['the next line alone', 'return total;', '\n\n  return total;\n}', true],
    ['another line', 'return sum;', '\n  return total;\n}', false],
    ['brackets', '});', '});\n', false],
    ['a short word', 'a', 'a\n', false],
    ['a short beginning', 're', 'return total;', false],
    ['nothing below', 'return total;', '', false],
    ['nothing written', '', 'return total;', false],
  ];
  for (const [name, raw, suffix, expected] of repeats)
    it(`repeats the suffix: ${name}`, () => assert.equal(repeatsSuffix(raw, suffix), expected));
});

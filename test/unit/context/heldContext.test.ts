import assert from 'node:assert/strict';
import { HeldContext, type ContextPlace } from '../../../extension/common/context/heldContext.ts';

const at = (line: number, atMs: number, document = 'a'): ContextPlace => ({ document, line, atMs });

describe('the context of a place', () => {
  let held: HeldContext<string>;
  beforeEach(() => {
    held = new HeldContext();
    held.hold(at(100, 0), 'first');
  });

  const CASES: [what: string, place: ContextPlace, expected: string | undefined, last: string | undefined][] =
    [
      ['stays while one types on', at(100, 900), 'first', 'first'],
      ['stays on the lines around', at(112, 900), 'first', 'first'],
      ['is asked for anew further down', at(113, 900), undefined, undefined],
      ['is asked for anew further up', at(87, 900), undefined, undefined],
      ['is asked for anew in another document', at(100, 900, 'b'), undefined, undefined],
      ['is asked for anew after a pause, and serves until it is there', at(100, 5001), undefined, 'first'],
    ];
  for (const [what, place, expected, last] of CASES) {
    it(what, () => {
      assert.equal(held.at(place), expected);
      assert.equal(held.last(place), last);
    });
  }

  it('doesn’t drift away with the caret, but lives as long as one types', () => {
    for (let key = 1; key <= 40; key++) assert.equal(held.at(at(100 + (key % 12), key * 1000)), 'first');
    assert.equal(held.at(at(113, 40_500)), undefined);
  });

  it('is gone when what may be shown has changed', () => {
    held.clear();
    assert.equal(held.last(at(100, 1)), undefined);
  });
});

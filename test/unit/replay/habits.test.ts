import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DEFAULT_HABITS, reactionTo, rightChars } from '../../../trainer/replay/habits.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';

const steady = {
  ...DEFAULT_HABITS,
  ignoreShare: 0,
  typeThroughShare: 0,
  wordByWordShare: 1,
  moveAwayShare: 0,
};

describe('rightChars', () => {
  const cases: [shown: string, rest: string, expected: number][] = [
    ['return a;', 'return a;', 9],
    ['return', 'return a;', 6],
    ['ret', 'return a;', 0],
    ['return b;', 'return a;', 7],
    ['returning', 'return a;', 0],
    ['const total = first', 'const totals = 1', 6],
    ['a', 'a', 1],
    ['a.b', 'a.c', 0],
    ['foo(a)', 'foo(b)', 4],
    ['x', 'y', 0],
  ];
  for (const [shown, rest, expected] of cases) {
    it(`${JSON.stringify(shown)} against ${JSON.stringify(rest)} is ${expected}`, () => {
      assert.equal(rightChars(shown, rest), expected);
    });
  }

  it('counts only characters that are the same', () => {
    const text = fc
      .array(fc.constantFrom('a', 'bc', ' ', '.', '('), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (shown, rest) => {
        const right = rightChars(shown, rest);
        assert.equal(shown.slice(0, right), rest.slice(0, right));
      }),
    );
  });
});

describe('reactionTo', () => {
  const react = (shown: string, rest: string, habits = steady, key = 'a') =>
    reactionTo(shown, rest, habits, keyedRandom(1, key)).kind;

  it('takes what is right to its end', () => {
    assert.equal(react('return a;', 'return a;'), 'accept');
    assert.equal(react('return', 'return a;'), 'accept');
  });

  it('takes what is right at the beginning word by word', () => {
    assert.deepEqual(reactionTo('return b;', 'return a;', steady, keyedRandom(1, 'a')), {
      kind: 'acceptWords',
      chars: 7,
    });
  });

  it('refuses what is wrong in the shares of its habits', () => {
    const kinds = Array.from({ length: 2000 }, (_, i) => react('no', 'yes', steady, `${i}`));
    const escaped = kinds.filter((kind) => kind === 'escape').length / kinds.length;
    assert.ok(Math.abs(escaped - steady.escapeShare) < 0.03, `${escaped}`);
    assert.deepEqual(new Set(kinds), new Set(['escape', 'type']));
  });

  it('ignores the same places whatever is shown', () => {
    const habits = { ...steady, ignoreShare: 0.5 };
    for (let i = 0; i < 50; i++) {
      assert.equal(
        react('a', 'a', habits, `${i}`) === 'ignore',
        react('b', 'a', habits, `${i}`) === 'ignore',
      );
    }
  });
});

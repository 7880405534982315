import assert from 'node:assert/strict';
import {
  doubledClosers,
  loneCloser,
  openBeforeSuffix,
  strayClosers,
} from '../../../extension/common/filters/brackets.ts';
import { scanBrackets } from '../../../extension/common/filters/scan.ts';
import { hides, trims, viewAt } from './cases.ts';

trims('doubledClosers', doubledClosers, [
  ['f(|)', 'a, b)', 'a, b'],
  ['f(|)', 'g()', 'g()'],
  ['f(|)', 'g())', 'g()'],
  ['f(|);', 'a);', 'a'],
  ['f(g(|))', 'a))', 'a'],
  ['f({|})', ' a: 1 })', ' a: 1 '],
  ["import '|'", "a'", 'a'],
  ["f(|')", "'a'", "'a'"],
  ['[|]', 'x[0]', 'x[0]'],
  ['f(|', 'a)', 'a)'],
  ['<Card title="a" |/>', 'wide />', 'wide '],
  ['<p |>', 'class="a">', 'class="a"'],
  ['const a: Array<|>', 'Map<string>', 'Map<string>'],
  // It closes more than stands there: the text writes all of it.
  ['f(g(|)', 'a))', 'a))'],
]);

trims('strayClosers', strayClosers, [
  ['f(|', 'a);', 'a);'],
  ['x = |', 'a);', 'a'],
  ['f(|)', 'a) + b', 'a) + b'],
  ['f(|, value)', 'a) + b', 'a'],
  ['f([|', 'a)', 'a'],
  ['f(|', 'g[a)]', 'g[a'],
  // Closed on the next line, at the same indentation.
  ['f(\n  |\n);', 'a);', 'a'],
  ['if (a) {\n  |\n}', 'b(); }', 'b(); '],
  ['if (a) {\n  |\n  c();\n}', 'b(); }', 'b(); '],
  // The bracket at the caret is of another kind.
  ['f(() => {\n  a();\n} |);', 'x }', 'x '],
  // What stands there closes an outer one.
  ['{\n  f(\n    |\n}', 'a);', 'a);'],
  ['if (a) {\n  if (b) {\n    c();\n  |\n}', '}', '}'],
  ['if (a) {\n  b();\n|\n  c();\n}', '} else {', '} else {'],
  // Brackets in strings and comments are none.
  ['f("(" + |', 'a)', 'a)'],
  ['// f(|', 'a))', 'a))'],
  ['x = "|', ')";', ')";'],
  ['x = "|', 'a" )', 'a" '],
]);

trims('openBeforeSuffix', openBeforeSuffix, [
  ['if (|)', 'ready(a) {', 'ready(a) '],
  ['f(|)', 'g(a)', 'g(a)'],
  ['f(|)', 'g(a', 'g'],
  ['f(|)', 'a) + g(b', 'a) + g(b'],
  ['f(|)', 'a: number): number {', 'a: number): number {'],
  ['const | = source;', '{ a, b', ''],
  ['if (ready) | // always', '{', '{'],
  ['f(|', 'g(a', 'g(a'],
  ['f(|)', "a, 'b", 'a, '],
  ["f(|')", "a, 'b", "a, 'b"],
  ['<p>|</p>', "it's", "it's"],
  ['f(|)', '() => {\n  a();\n}', '() => {\n  a();\n}'],
]);

hides('loneCloser', loneCloser, [
  ['  |', '}', true],
  ['|', '});', true],
  ['f(a|', ')', true],
  ['f(a|', ');', false],
  ['|', 'x)', false],
]);

describe('the scan of brackets', () => {
  const states: [text: string, state: string][] = [
    ['a', 'code'],
    ['a // b', 'lineComment'],
    ['a // b\n', 'code'],
    ['/* a', 'blockComment'],
    ['/* a */', 'code'],
    ["x = 'a", "'"],
    ["it's\nx", 'code'],
    ["x = 'a\\' ", "'"],
    ['x = `a\n', '`'],
    ['"""a\n', '"""'],
    ['"""a"""', 'code'],
    ['x = 1  # a', 'lineComment'],
    ['this.#a', 'code'],
    ["don't", 'code'],
    ["x = f'a", "'"],
    ["y = 'http://a'", 'code'],
  ];
  for (const [text, state] of states) {
    it(`of ${JSON.stringify(text)} ends in ${state}`, () => {
      assert.equal(viewAt(`${text}|`).before.state, state);
    });
  }

  it('tells what is open and what was opened before', () => {
    const { open, unopened, mismatch } = scanBrackets('a) + f({ b: [1]');
    assert.deepEqual(open, [
      { character: '(', offset: 6 },
      { character: '{', offset: 7 },
    ]);
    assert.deepEqual(unopened, [{ character: ')', offset: 1 }]);
    assert.equal(mismatch, undefined);
    assert.deepEqual(scanBrackets('f(]').mismatch, { character: ']', offset: 2 });
  });
});

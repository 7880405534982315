import assert from 'node:assert/strict';
import fc from 'fast-check';
import { doubledClosers } from '../../../extension/common/filters/brackets.ts';
import {
  emptyText,
  extremeRepetition,
  loneCloser,
  repeatsLineAbove,
  repeatsLineBelow,
} from '../../../extension/common/filters/hide.ts';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import {
  documentIndent,
  doubledSpace,
  halfSurrogates,
  lineEnds,
  singleLine,
  stopAtSuffix,
  trailingSpace,
} from '../../../extension/common/filters/trim.ts';
import { filterView } from '../../../extension/common/filters/types.ts';

/** `before|after` → the view at the caret. */
function at(marked: string, multiline = false): ReturnType<typeof filterView> {
  const [prefix = '', suffix = ''] = marked.split('|');
  return filterView({ prefix, suffix, multiline });
}

type TrimCase = [document: string, raw: string, expected: string];
type HideCase = [document: string, text: string, hidden: boolean];

const trims: {
  name: string;
  run: (text: string, view: ReturnType<typeof at>) => string;
  cases: TrimCase[];
}[] = [
  {
    name: 'halfSurrogates',
    run: halfSurrogates,
    cases: [
      ['|', 'ab\ud83d', 'ab'],
      ['|', '\udca1ab', 'ab'],
      ['|', 'a💡', 'a💡'],
      ['|', 'a\ud83d ', 'a '],
      ['|', '\ud83d', ''],
      ['|', '', ''],
    ],
  },
  { name: 'lineEnds', run: lineEnds, cases: [['|', 'a\r\nb\rc', 'a\nb\nc']] },
  {
    name: 'singleLine',
    run: singleLine,
    cases: [
      ['|', 'a;\nb', 'a;'],
      ['x = 1;|', '\nfoo', ''],
      ['|', 'a', 'a'],
    ],
  },
  {
    name: 'doubledSpace',
    run: doubledSpace,
    cases: [
      ['return |', ' x', 'x'],
      ['return|', ' x', ' x'],
      ['  |', '  x', '  x'],
    ],
  },
  {
    name: 'documentIndent',
    run: documentIndent,
    cases: [
      ['if (a) {\n\tb();\n|', '    c();', '\tc();'],
      ['if (a) {\n\tb();\n|', '  c();', '\tc();'],
      ['if (a) {\n  b();\n|', '\tc();', '  c();'],
      ['f();\n|', '\tc();', '\tc();'],
      ['\tx = |', '  1', '  1'],
    ],
  },
  {
    name: 'stopAtSuffix',
    run: stopAtSuffix,
    cases: [
      ['const a = | as const;', 'b as const;', 'b '],
      ['f(|, value)', 'key, value)', 'key'],
      ['for (const |of list) {', 'item of list', 'item '],
      ['f(|)', 'a)', 'a)'],
      ['f(|', 'a)', 'a)'],
    ],
  },
  {
    name: 'doubledClosers',
    run: doubledClosers,
    cases: [
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
    ],
  },
  { name: 'trailingSpace', run: trailingSpace, cases: [['|', 'a = 1;  ', 'a = 1;']] },
];

const hides: {
  name: string;
  run: (text: string, view: ReturnType<typeof at>) => boolean;
  cases: HideCase[];
}[] = [
  {
    name: 'emptyText',
    run: emptyText,
    cases: [
      ['|', '', true],
      ['|', ' \t', true],
      ['|', 'x', false],
    ],
  },
  {
    name: 'loneCloser',
    run: loneCloser,
    cases: [
      ['  |', '}', true],
      ['|', '});', true],
      ['f(a|', ')', true],
      ['f(a|', ');', false],
      ['|', 'x)', false],
    ],
  },
  {
    name: 'repeatsLineBelow',
    run: repeatsLineBelow,
    cases: [
      ['  |\n  return a;', 'return a;', true],
      ['  ret|\n\n  return a;', 'urn a;', true],
      ['  |\n}', '}', false],
      ['  |\n  return b;', 'return a;', false],
      ['  |', 'return a;', false],
    ],
  },
  {
    name: 'repeatsLineAbove',
    run: repeatsLineAbove,
    cases: [
      ['  a();\n  |', 'a();', true],
      ['  a();\n  b();\n  |', 'a();', false],
      ['  },\n  |', '},', false],
      ['|', 'a();', false],
    ],
  },
  {
    name: 'extremeRepetition',
    run: extremeRepetition,
    cases: [
      ['|', 'a a a a a a a a a a', true],
      ['|', 'foo.bar.foo.bar.foo.bar.foo.bar.', true],
      ['|', '/'.repeat(40), true],
      ['|', 'const a = [0, 0, 0];', false],
      ['|', 'const total = first + second;', false],
    ],
  },
];

describe('filters', () => {
  for (const { name, run, cases } of trims) {
    describe(name, () => {
      for (const [document, raw, expected] of cases) {
        it(`${JSON.stringify(document)} + ${JSON.stringify(raw)} → ${JSON.stringify(expected)}`, () => {
          assert.equal(run(raw, at(document)), expected);
        });
      }
    });
  }
  for (const { name, run, cases } of hides) {
    describe(name, () => {
      for (const [document, text, hidden] of cases) {
        it(`${JSON.stringify(document)} + ${JSON.stringify(text)} is ${hidden ? 'hidden' : 'shown'}`, () => {
          assert.equal(run(text, at(document)), hidden);
        });
      }
    });
  }
});

describe('applyFilters', () => {
  it('shows a plain text as it is and says that nothing was done', () => {
    const result = applyFilters('value + 1;', { prefix: 'return ', suffix: '\n}\n' });
    assert.deepEqual(result, { text: 'value + 1;', filters: [], silent: false });
  });

  it('names what changed the text', () => {
    const result = applyFilters(' a, b);\nnext', { prefix: 'f( ', suffix: ');\n' });
    assert.deepEqual(result, {
      text: 'a, b',
      filters: ['singleLine', 'doubledSpace', 'doubledClosers'],
      silent: false,
    });
  });

  it('names what hid it', () => {
    const result = applyFilters('return a;', { prefix: '  ', suffix: '\n  return a;\n' });
    assert.deepEqual(result, {
      text: '',
      filters: ['repeatsLineBelow'],
      hiddenBy: 'repeatsLineBelow',
      silent: false,
    });
  });

  it('tells silence of the model from a text that a filter emptied', () => {
    assert.equal(applyFilters('', { prefix: 'a;', suffix: '' }).silent, true);
    assert.equal(applyFilters('\n  b;', { prefix: 'a;', suffix: '' }).silent, true);
    const emptied = applyFilters(')', { prefix: 'f(', suffix: ')' });
    assert.equal(emptied.hiddenBy, 'emptyText');
    assert.equal(emptied.silent, false);
  });

  it('changes nothing the second time, and never makes the text longer but by indentation', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      ')',
      '(',
      "'",
      ';',
      '}',
      'foo',
      '💡',
      '\ud83d',
      '\r\n',
      'x = ',
    );
    const text = fc.array(piece, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (raw, prefix, suffix, multiline) => {
        const context = { prefix, suffix, multiline };
        const once = applyFilters(raw, context);
        assert.equal(applyFilters(once.text, context).text, once.text);
        assert.equal(once.text === '', once.hiddenBy !== undefined);
        if (!multiline) assert.ok(!once.text.includes('\n'));
      }),
      { numRuns: 2000 },
    );
  });
});

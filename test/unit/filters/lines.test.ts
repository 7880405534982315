import assert from 'node:assert/strict';
import {
  repeatedLines,
  repeatsLineAbove,
  repeatsLineBelow,
  singleLine,
  unfinishedLine,
} from '../../../extension/common/filters/lines.ts';
import { hides, trims, viewAt } from './cases.ts';

trims('singleLine', singleLine, [
  ['|', 'a;\nb', 'a;'],
  ['x = 1;|', '\nfoo', ''],
  ['|', 'a', 'a'],
]);
trims(
  'singleLine',
  singleLine,
  [
    ['|', 'a;\nb', 'a;\nb'],
    ["x = '|", 'a\nb', 'a'],
    ["x = '|", "a';\nb", "a';\nb"],
    ['x = `|', 'a\nb', 'a\nb'],
  ],
  { multiline: true },
);

trims(
  'repeatedLines',
  repeatedLines,
  [
    ['|', 'a();\na();\na();', 'a();'],
    ['|', 'a();\nb();\na();\nb();\nc();', 'a();\nb();'],
    ['|', 'a();\nb();\na();', 'a();\nb();\na();'],
    ['|', 'if (a) {\n  b();\n}\n}', 'if (a) {\n  b();\n}\n}'],
    ['|', 'a();', 'a();'],
  ],
  { multiline: true },
);

describe('unfinishedLine', () => {
  const cases: [text: string, truncated: boolean, expected: string][] = [
    ['a();\nb(', true, 'a();'],
    ['a();\nb();\n', true, 'a();\nb();'],
    ['a();\nb();\n  ', true, 'a();\nb();'],
    ['a();\nb();', false, 'a();\nb();'],
    ['a(', true, 'a('],
  ];
  for (const [text, truncated, expected] of cases) {
    it(`${JSON.stringify(text)}${truncated ? ', ended by a limit,' : ''} → ${JSON.stringify(expected)}`, () => {
      assert.equal(unfinishedLine(text, { ...viewAt('|', { multiline: true }), truncated }), expected);
      assert.equal(unfinishedLine(text, { ...viewAt('|'), truncated }), text);
    });
  }
});

hides('repeatsLineBelow', repeatsLineBelow, [
  ['  |\n  return a;', 'return a;', true],
  ['  ret|\n\n  return a;', 'urn a;', true],
  ['  |\n}', '}', false],
  ['  |\n  return b;', 'return a;', false],
  ['  |', 'return a;', false],
  ['  |\n  b();\n  const total = sum(values);', 'const total = sum(values);', true],
  ['  |\n  b();\n  return a;', 'return a;', false],
]);

hides('repeatsLineAbove', repeatsLineAbove, [
  ['  a();\n  |', 'a();', true],
  ['  a();\n  b();\n  |', 'a();', false],
  ['  const total = sum(values);\n  b();\n  |', 'const total = sum(values);', true],
  ['  },\n  |', '},', false],
  ['|', 'a();', false],
]);

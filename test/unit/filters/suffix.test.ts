import { stopAtLineBelow, stopAtSuffix } from '../../../extension/common/filters/suffix.ts';
import { trims } from './cases.ts';

trims('stopAtSuffix', stopAtSuffix, [
  ['const a = | as const;', 'b as const;', 'b '],
  ['f(|, value)', 'key, value)', 'key'],
  ['for (const |of list) {', 'item of list', 'item '],
  ['f(|)', 'a)', 'a)'],
  ['f(|', 'a)', 'a)'],
  // A short one counts at the very end alone.
  ['(issue |).', 'one. two).', 'one. two'],
  ['x = |+1', 'a +1 +2', 'a +1 +2'],
  ['(|) ?', '(a) ?', '(a) ?'],
  // A word that only ends like the suffix.
  ['const x = |bar', 'foobar + 1', 'foobar + 1'],
  ['const x = foo|bar', 'bar', ''],
  // Brackets and tags that the text opened itself.
  ['run(|) => {', 'g(a) => {', 'g(a) => {'],
  ['<p>|</p>', '<p>a</p>', '<p>a</p>'],
  ['<p>|</p>', 'a</p>', 'a'],
  ['<p>|</p>', '<p>a</p></p>', '<p>a</p>'],
  ['<p>|</p>', '<pre>a</pre></p>', '<pre>a</pre>'],
  ['|', 'anything', 'anything'],
]);

trims(
  'stopAtLineBelow',
  stopAtLineBelow,
  [
    ['a();\n|\nreturn total;', 'b();\nreturn total;\n}', 'b();'],
    ['a();\n|\n\n  return total;', 'b();\n  return total;', 'b();'],
    // A short line alone is not enough.
    ['|\nelse', 'a\nelse\nb', 'a\nelse\nb'],
    ['|\nelse\nb', 'a\nelse\nb', 'a'],
    // Brackets alone are for another filter.
    ['|\n}', 'a\n}', 'a\n}'],
    ['|\nreturn total;', 'return total;', 'return total;'],
    ['|', 'a\nb', 'a\nb'],
  ],
  { multiline: true },
);

import assert from 'node:assert/strict';
import { endOfInfill } from '../../../trainer/server/inference/infillLimits.ts';

const LATE_MS = 600;
const EARLY_MS = 400;

describe('where a text of /infill ends', () => {
  const cases: [name: string, text: string, indent: number, generatingMs: number, kept: string | null][] = [
    ['one line', 'total = 1;', 4, EARLY_MS, null],
    ['a line that is indented enough', 'a {\n    b', 4, EARLY_MS, null],
    ['a line that is indented too little', 'a {\n    b\n  c', 4, EARLY_MS, 'a {\n    b'],
    ['a line that is not indented', 'a\nb', 1, EARLY_MS, 'a'],
    ['a line whose indentation is still being written', 'a {\n  ', 4, EARLY_MS, null],
    ['an empty line', 'a {\n\n', 4, EARLY_MS, null],
    ['a tab is one column', 'a {\n\tb', 2, EARLY_MS, 'a {'],
    ['a tab is enough for one', 'a {\n\tb', 1, EARLY_MS, null],
    ['no indentation is wanted', 'a\nb', 0, EARLY_MS, null],
    ['the time is over in the first line', 'total = ', 0, LATE_MS, null],
    ['the time is over inside a line', 'a\nb', 0, LATE_MS, null],
    ['the time is over at the end of a line', 'a\nb\n', 0, LATE_MS, 'a\nb'],
    ['the end of a line, in time', 'a\nb\n', 0, EARLY_MS, null],
  ];
  for (const [name, text, indentColumns, generatingMs, kept] of cases)
    it(name, () => {
      const end = endOfInfill({ indentColumns, predictMs: 500 })!(text, generatingMs);
      assert.equal(end === null ? null : text.slice(0, end), kept);
    });

  it('has no limits, when none are given', () => {
    assert.equal(endOfInfill({ indentColumns: 0, predictMs: 0 }), undefined);
    assert.equal(endOfInfill({ indentColumns: 4, predictMs: -1 })!('a\n', LATE_MS), null);
  });
});

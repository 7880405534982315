import assert from 'node:assert/strict';
import {
  filterView,
  type FilterView,
  type HideFilter,
  type TrimFilter,
} from '../../../extension/common/filters/types.ts';

/** A document with its caret as `|`, the text, and what the filter makes of it. */
export type TrimCase = [document: string, text: string, expected: string];
/** A document with its caret as `|`, the text, and whether the filter hides it. */
export type HideCase = [document: string, text: string, hidden: boolean];

interface Options {
  multiline?: boolean;
}

/** The view at the caret of a whole document, `before|after`. */
export function viewAt(marked: string, { multiline = false }: Options = {}): FilterView {
  const [prefix, suffix, more] = marked.split('|');
  assert.ok(suffix !== undefined && more === undefined, `one caret, please: ${marked}`);
  return filterView({ prefix: prefix!, suffix, start: 0, multiline });
}

/** One test a case, for a filter that changes the text. */
export function trims(name: string, filter: TrimFilter, cases: TrimCase[], options: Options = {}): void {
  describe(options.multiline ? `${name}, several lines` : name, () => {
    for (const [document, text, expected] of cases) {
      it(`${JSON.stringify(document)} + ${JSON.stringify(text)} → ${JSON.stringify(expected)}`, () => {
        assert.equal(filter(text, viewAt(document, options)), expected);
      });
    }
  });
}

/** One test a case, for a filter that hides the text. */
export function hides(name: string, filter: HideFilter, cases: HideCase[]): void {
  describe(name, () => {
    for (const [document, text, hidden] of cases) {
      it(`${JSON.stringify(document)} + ${JSON.stringify(text)} is ${hidden ? 'hidden' : 'shown'}`, () => {
        assert.equal(filter(text, viewAt(document)), hidden);
      });
    }
  });
}

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import {
  partialWindow,
  READ_AFTER_UNITS,
  READ_BEFORE_UNITS,
} from '../../../extension/common/suggestion/partialWindow.ts';

const line = fc.string({ unit: fc.constantFrom('a', ' ', '(', '😀'), maxLength: 120 });

describe('prompt window from a part of the document', () => {
  it('is the one from the whole', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lines, at) => {
          const text = lines.join('\n');
          const caret = Math.floor(at * text.length);
          const before = text.slice(Math.max(0, caret - READ_BEFORE_UNITS), caret);
          const after = text.slice(caret, caret + READ_AFTER_UNITS);
          assert.deepEqual(partialWindow(before, after, caret, 'a.ts'), promptWindow(text, caret, 'a.ts'));
        },
      ),
      { seed: 6, numRuns: 500 },
    );
  });
});

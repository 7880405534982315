import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accept, CARET } from '../../fixtures/acceptance.ts';
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

  it('is the same with CRLF as with LF, in text, offsets and what is shown', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), fc.nat(), (lines, at) => {
        const text = lines.join('\n');
        const caret = at % (text.length + 1);
        const marked = text.slice(0, caret) + CARET + text.slice(caret);
        const lf = accept(marked, 'a(\n  b', '\n', true);
        const crlf = accept(marked, 'a(\r\n  b', '\r\n', true);
        if (lf.window.start === 0) assert.deepEqual(crlf.window, lf.window);
        assert.ok(!/\r/.test(crlf.window.prefix + crlf.window.suffix + crlf.shown));
        assert.equal(crlf.accepted.replaceAll('\r\n', '\n'), lf.accepted);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { findPlaceholders, maskAround, maskSecrets } from '../../../extension/common/secrets/mask.ts';
import { SECRET_CASES } from '../../fixtures/secrets.ts';

const piece = fc.oneof(
  fc.constantFrom(
    'const a = ',
    'x',
    ' ',
    '\n',
    '"',
    "'",
    ';',
    '(',
    ')',
    '//',
    '@',
    ':',
    '=',
    '.',
    'é',
    '💡',
    '\r\n',
  ),
  fc.constantFrom(...SECRET_CASES.map(({ code }) => code)),
  fc.constantFrom(...SECRET_CASES.map(({ secret }) => secret)),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const RUNS = { numRuns: 1000 };

describe('masking of secrets', () => {
  it('keeps length, lines and brackets, and finds nothing more the second time', () => {
    fc.assert(
      fc.property(text, (original) => {
        const masked = maskSecrets(original);
        assert.equal(masked.length, original.length);
        for (let i = 0; i < masked.length; i++)
          if (/[\s()[\]{}"'`]/.test(original[i]!)) assert.equal(masked[i], original[i]);
        assert.equal(maskSecrets(masked), masked);
      }),
      RUNS,
    );
  });

  it('is the same wherever the caret stands', () => {
    fc.assert(
      fc.property(text, fc.nat(), (original, at) => {
        const caret = at % (original.length + 1);
        const { before, after } = maskAround(original.slice(0, caret), original.slice(caret));
        assert.equal(before + after, maskSecrets(original));
      }),
      RUNS,
    );
  });

  it('lets no placeholder be suggested, from its beginning or from where the caret stands in it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_CASES), fc.nat(), ({ code }, at) => {
        const line = maskSecrets(code).split('\n').at(-1)!;
        const [span] = findPlaceholders(line);
        if (span === undefined) return;
        const caret = at % (span.end - 1);
        const { hiddenBy } = applyFilters(line.slice(caret), {
          prefix: `a();\n${line.slice(0, caret)}`,
          suffix: '\n',
        });
        assert.equal(hiddenBy, 'maskedSecret');
      }),
      RUNS,
    );
  });
});

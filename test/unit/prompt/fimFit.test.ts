import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PartRole } from '../../../extension/common/prompt/fim.ts';
import { fitTokens, type TokenPart } from '../../../extension/common/prompt/fit.ts';

/** Markers are negative, so that they can be told from text. */
const MARKER = -1;

function part(role: PartRole, from: number, count: number): TokenPart {
  return { role, tokens: Array.from({ length: count }, (_, index) => from + index) };
}

function marker(): TokenPart {
  return { role: 'marker', tokens: [MARKER] };
}

describe('cutting a prompt to the context', () => {
  it('leaves a prompt that fits', () => {
    const parts = [marker(), part('prefix', 0, 5)];
    assert.deepEqual(fitTokens(parts, 6), { tokens: [MARKER, 0, 1, 2, 3, 4], truncated: 0 });
  });

  it('cuts the left of the prefix and keeps the markers', () => {
    const parts = [marker(), marker(), part('suffix', 100, 2), marker(), part('prefix', 0, 10)];
    const fitted = fitTokens(parts, 11);
    assert.deepEqual(fitted, { tokens: [MARKER, MARKER, 100, 101, MARKER, 4, 5, 6, 7, 8, 9], truncated: 4 });
  });

  it('cuts the far end of a suffix that leaves no room', () => {
    const parts = [marker(), part('suffix', 100, 50), marker(), part('prefix', 0, 50)];
    const { tokens, truncated } = fitTokens(parts, 22);
    assert.deepEqual(tokens.slice(1, 6), [100, 101, 102, 103, 104]);
    assert.deepEqual(tokens.slice(-15), part('prefix', 35, 15).tokens);
    assert.equal(truncated, 80);
  });

  it('drops other files before anything of the document', () => {
    const parts = [part('file', 200, 30), marker(), part('prefix', 0, 10)];
    assert.deepEqual(fitTokens(parts, 13).tokens, [228, 229, MARKER, ...part('prefix', 0, 10).tokens]);
  });

  it('never gives more than the budget, counts what it cut, and keeps every marker that fits', () => {
    const role = fc.constantFrom<PartRole>('file', 'path', 'prefix', 'suffix');
    const text = fc.record({ role, tokens: fc.array(fc.nat(), { maxLength: 40 }) });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(text, fc.constant(marker())), { maxLength: 12 }),
        fc.integer({ min: 1, max: 80 }),
        (parts, budget) => {
          const total = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
          const markers = parts.filter(({ role }) => role === 'marker').length;
          const { tokens, truncated } = fitTokens(parts, budget);
          assert.equal(tokens.length + truncated, total);
          assert.ok(tokens.length <= budget);
          if (total > budget && markers < budget) {
            assert.equal(tokens.filter((token) => token === MARKER).length, markers);
          }
        },
      ),
    );
  });
});

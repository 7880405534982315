import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TypeThroughCache } from '../../../extension/common/cache/typeThroughCache.ts';

const SERVED_BY = { model: 'm', template: 'qwen, psm', adapterVersion: 1, adapterScale: 1 };
const piece = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '(', ')'), maxLength: 400 });

describe('type-through cache against a naive model', () => {
  it('answers exactly where the document is the old one with a beginning of the suggestion typed in', () => {
    fc.assert(
      fc.property(
        piece,
        piece,
        piece.filter((text) => text !== ''),
        fc.nat(400),
        fc.nat(3),
        (before, after, text, typed, extra) => {
          const cache = new TypeThroughCache();
          cache.put({ id: 'a', document: 'd', before, after, text, servedBy: SERVED_BY });
          const units = Math.min(typed, text.length - 1);
          const hit = cache.find('d', (before + text.slice(0, units)).slice(-800), after);
          assert.ok(hit);
          // Repetitive text can be read in several ways; the answer is right when what stands is a beginning of it.
          assert.ok((before + text.slice(0, units)).endsWith(text.slice(0, hit.typed)));
          const wrong = cache.find('d', `${before}${text.slice(0, units)}#${'a'.repeat(extra)}`, after);
          assert.equal(wrong, undefined);
        },
      ),
      { seed: 5, numRuns: 1500 },
    );
  });
});

import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findStop, safeLength, TextAssembler } from '../../../trainer/inference/text.ts';

/** A vocabulary in which every byte is an id. */
const bytes = {
  tokenize: (text: string) => [...new TextEncoder().encode(text)],
  detokenize: (ids: readonly number[]) => new TextDecoder().decode(Uint8Array.from(ids)),
};

function push(assembler: TextAssembler, text: string): string[] {
  return [...new TextEncoder().encode(text)].map((byte) => assembler.push(byte));
}

describe('text from generated ids', () => {
  it('comes with the id that completes a character', () => {
    const assembler = new TextAssembler(bytes, []);
    assert.deepEqual(push(assembler, 'é€😀'), ['', 'é', '', '', '€', '', '', '', '😀']);
    assert.equal(assembler.text, 'é€😀');
  });

  it('leaves out a character that is never completed', () => {
    const assembler = new TextAssembler(bytes, []);
    push(assembler, 'a');
    assembler.push(0xe2);
    assert.equal(assembler.text, 'a');
  });

  it('keeps the character that stands for unreadable ones, where the text has it', () => {
    const assembler = new TextAssembler(bytes, []);
    assert.deepEqual(push(assembler, '\uFFFD'), ['', '', '\uFFFD']);
    assert.deepEqual(push(assembler, 'a\uFFFD'), ['a', '', '', '\uFFFD']);
  });

  it('does not wait for ever for bytes that are none', () => {
    const assembler = new TextAssembler(bytes, []);
    for (let i = 0; i < 4; i++) assembler.push(0xff);
    assert.equal(assembler.push(0x61), 'a');
  });

  it('is the text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const assembler = new TextAssembler(bytes, []);
        assert.equal(push(assembler, text).join(''), assembler.text);
        assert.equal(assembler.text, text);
      }),
    );
  });
});

describe('stop strings', () => {
  it('are found at the first of them', () => {
    assert.equal(findStop('abcd', ['d', 'bc']), 1);
    assert.equal(findStop('abcd', ['x']), -1);
    assert.equal(findStop('abcd', []), -1);
  });

  it('hold back what could begin one', () => {
    assert.equal(safeLength('return a;\n', ['\n\n']), 9);
    assert.equal(safeLength('return a;', ['\n\n']), 9);
    assert.equal(safeLength('ab``', ['```']), 2);
    assert.equal(safeLength('abc', []), 3);
  });

  it('never let a part of one through', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), word, (text, stop) => {
        const end = findStop(text, [stop]);
        const whole = end < 0 ? text : text.slice(0, end + stop.length);
        for (let length = 0; length < whole.length; length++) {
          const shown = safeLength(whole.slice(0, length), [stop]);
          assert.ok(end < 0 || shown <= end, `${shown} of ${end}`);
        }
      }),
    );
  });
});

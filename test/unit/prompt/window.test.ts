import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CHARS_PER_TOKEN,
  DEFAULT_WINDOW_BUDGET,
  promptWindow,
  type WindowBudget,
} from '../../../extension/common/prompt/window.ts';

const small: WindowBudget = { prefixTokens: 20, stepTokens: 5, suffixTokens: 10, suffixLines: 3 };
const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `const value${i} = ${i};\n`).join('');
const document = fc
  .array(fc.constantFrom('a', 'bc ', '\n', '\n', '  ', '💡', 'é', '{', 'longer words here '), {
    maxLength: 80,
  })
  .map((parts) => parts.join(''));

describe('promptWindow', () => {
  it('gives the whole of a short document', () => {
    const window = promptWindow('let a = 1;\nlet b = ;\n', 19, 'src\\b.ts');
    assert.deepEqual(window, {
      prefix: 'let a = 1;\nlet b = ',
      suffix: ';\n',
      path: 'src/b.ts',
      start: 0,
      end: 21,
    });
  });

  it('begins the prefix at a line border', () => {
    const text = lines(400);
    const window = promptWindow(text, text.length, 'a.ts');
    assert.equal(text[window.start - 1], '\n');
    const tokens = window.prefix.length / CHARS_PER_TOKEN;
    assert.ok(tokens <= DEFAULT_WINDOW_BUDGET.prefixTokens);
    assert.ok(tokens > DEFAULT_WINDOW_BUDGET.prefixTokens - 2 * DEFAULT_WINDOW_BUDGET.stepTokens);
  });

  it('cuts inside a line that is longer than the window', () => {
    const window = promptWindow('x'.repeat(10_000), 9_000, 'a.js');
    assert.ok(window.prefix.length > 150 * CHARS_PER_TOKEN);
    assert.ok(window.prefix.length <= 256 * CHARS_PER_TOKEN);
    assert.ok(window.suffix.length > 0);
  });

  it('keeps the suffix to whole lines within its budget', () => {
    const text = lines(30);
    const window = promptWindow(text, 0, 'a.ts', small);
    assert.equal(window.suffix, 'const value0 = 0;\n');
  });

  it('keeps a part of the line below when that line alone is too long', () => {
    const window = promptWindow(`a\n${'b'.repeat(500)}\n`, 1, 'a.ts', small);
    assert.equal(window.suffix, `\n${'b'.repeat(29)}`);
  });

  it('keeps the start while a line is typed, and moves it in steps', () => {
    const head = lines(200);
    const typed = lines(20);
    const starts = new Set<number>();
    for (let i = 0; i <= typed.length; i++) {
      starts.add(promptWindow(head + typed.slice(0, i), head.length + i, 'a.ts').start);
    }
    const steps = typed.length / (DEFAULT_WINDOW_BUDGET.stepTokens * CHARS_PER_TOKEN);
    assert.ok(starts.size <= Math.ceil(steps) + 1, `${starts.size} starts for ${steps} steps`);
  });

  it('is a piece of the document that the caret parts', () => {
    fc.assert(
      fc.property(document, fc.nat(400), (text, caret) => {
        const window = promptWindow(text, caret, 'a.ts', small);
        assert.equal(window.prefix + window.suffix, text.slice(window.start, window.end));
        assert.ok(window.start + window.prefix.length <= Math.min(caret, text.length));
      }),
    );
  });

  it('never parts a surrogate pair', () => {
    fc.assert(
      fc.property(document, fc.nat(400), (text, caret) => {
        const window = promptWindow(text, caret, 'a.ts', small);
        assert.ok(window.prefix.isWellFormed());
        assert.ok(window.suffix.isWellFormed());
      }),
    );
  });

  it('depends on nothing after the end of the suffix and nothing before the start', () => {
    fc.assert(
      fc.property(document, document, (text, tail) => {
        const caret = Math.floor(text.length / 2);
        const window = promptWindow(text, caret, 'a.ts', small);
        const longer = promptWindow(`${text}\n${tail}`, caret, 'a.ts', small);
        assert.equal(longer.start, window.start);
        assert.ok(longer.suffix.startsWith(window.suffix.trimEnd()));
      }),
      // A last line that fits to the character.
      { examples: [['bc longer words here longer words here \nalonger words here ', '']] },
    );
  });
});

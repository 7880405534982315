import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { scanBrackets } from '../../../extension/common/filters/scan.ts';
import { indentOf } from '../../../extension/common/filters/types.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import { placeSuggestion } from '../../../extension/common/suggestion/present.ts';
import { shapeOf } from '../../../extension/common/syntax/shape.ts';
import { realBlocks, type RealBlock } from './blocks.ts';

/** More than is looked at around the caret. */
const AROUND_UNITS = 4000;

/** What the largest setting of `maxTokens` makes. */
const LONGEST_UNITS = 1000;

/** How a model goes wrong in a block. */
type Slip = (text: string, block: RealBlock, random: number) => string;

const SLIPS: Record<string, Slip> = {
  'goes on behind the block': (text, { after }) => text + after.slice(0, 300),
  'ends anywhere': (text, _, random) => text.slice(0, Math.floor(random * text.length)),
  'closes once more': (text) => `${text}\n}`,
  'closes twice more in its line': (text) => `${text})}`,
  'leaves a bracket open': (text, _, random) => text.replace(/[)\]}]/, random < 0.5 ? '' : '('),
  'falls back to the margin': (text, _, random) => {
    const lines = text.split('\n');
    const from = 1 + Math.floor(random * (lines.length - 1));
    return lines.map((line, i) => (i < from ? line : line.trimStart())).join('\n');
  },
  'repeats the line below': (text, { after }) => {
    const below = after.split('\n').find((line) => /\w/.test(line)) ?? '';
    return `${text}\n${below}\n${below}`;
  },
  'repeats itself': (text) => `${text}\n${text}`,
};

interface Shown {
  text: string;
  block: RealBlock;
}

describe('several lines in a block of real code', function () {
  this.timeout(60_000);
  let blocks: RealBlock[];

  before(async () => {
    blocks = (await realBlocks()).filter(({ inside }) => inside.length < LONGEST_UNITS);
    assert.ok(blocks.length > 500, `${blocks.length} blocks`);
  });

  const show = (block: RealBlock, raw: string, truncated = false): string => {
    const { before, after, path, syntax } = block;
    const shape = shapeOf(before.slice(-AROUND_UNITS), after.slice(0, AROUND_UNITS), 'auto', syntax);
    const window = promptWindow(before + after, before.length, path);
    return applyFilters(raw, { ...window, ...shape, truncated }).text;
  };

  it('are asked for in 99 blocks of 100', () => {
    const missed = blocks.filter(
      ({ before, after, syntax }) =>
        !shapeOf(before.slice(-AROUND_UNITS), after.slice(0, AROUND_UNITS), 'auto', syntax).multiline,
    );
    assert.ok(missed.length < blocks.length / 100, missed.map(({ name }) => name).join('\n'));
  });

  it('are shown as the developer really wrote them, 98 times of 100, whatever the model writes behind them', () => {
    const changed = blocks.filter((block) => {
      const raw = `${block.inside}${block.after.slice(0, 200)}`;
      return show(block, raw) !== block.inside;
    });
    const told = changed.map((one) => `${one.name}: ${JSON.stringify([one.inside, show(one, one.inside)])}`);
    assert.ok(changed.length < (2 * blocks.length) / 100, `${changed.length}\n${told.join('\n')}`);
  });

  /** Checks what is shown of a block after one or two slips. */
  const always = (check: (shown: Shown, raw: string) => void): void => {
    const slip = fc.constantFrom(...Object.values(SLIPS));
    fc.assert(
      fc.property(
        fc.nat(),
        slip,
        fc.option(slip),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.boolean(),
        (index, first, second, random, truncated) => {
          const block = blocks[index % blocks.length]!;
          const once = first(block.inside, block, random);
          const raw = second === null ? once : second(once, block, random);
          check({ text: show(block, raw, truncated), block }, raw);
        },
      ),
      { seed: 11, numRuns: 400 },
    );
  };

  it('leave no bracket open and close none that is not theirs', () => {
    always(({ text, block: { before, after } }) => {
      if (!text.includes('\n')) return;
      const stands = scanBrackets(before.slice(-AROUND_UNITS));
      const { open, unopened, mismatch } = scanBrackets(text, stands.state);
      assert.deepEqual([open, unopened, mismatch], [[], [], undefined], `${text}\n‸${after.slice(0, 80)}`);
    });
  });

  it('do not write the next line once more', () => {
    always(({ text, block: { after } }) => {
      if (!text.includes('\n')) return;
      const below = after.split('\n').find((line) => line.trim() !== '')!;
      assert.notEqual(text.split('\n').at(-1), below.trimEnd(), text);
    });
  });

  it('stay inside of the block', () => {
    always(({ text, block }) => {
      if (text.includes('`') || block.inside.includes('`')) return;
      for (const line of text.split('\n').slice(1)) {
        if (line.trim() === '') continue;
        assert.ok(indentOf(line).length > block.indent.length, `${block.name}\n${text}`);
      }
    });
  });

  it('are the same with CRLF as with LF', () => {
    always(({ text, block }, raw) => {
      for (const truncated of [false, true]) {
        const lf = show(block, raw, truncated);
        assert.equal(show(block, raw.replaceAll('\n', '\r\n'), truncated), lf);
      }
      const { insertText } = placeSuggestion(text, { before: block.before, lineSuffix: '', eol: '\r\n' });
      assert.equal(insertText.replaceAll('\r\n', '\n'), text);
      assert.ok(!/(^|[^\r])\n/.test(insertText));
    });
  });
});

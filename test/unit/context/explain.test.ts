import assert from 'node:assert/strict';
import { explain, explanationText, type ExplainAsk } from '../../../extension/common/context/explain.ts';
import type { ContextPart } from '../../../extension/common/context/types.ts';

const part = (path: string, verdict: ContextPart['verdict'], score: number): ContextPart => ({
  source: 'similar',
  path,
  firstLine: 4,
  text: `export const ${path.slice(0, 1)} = 1;\nexport const more = 2;\n`,
  score,
  signals: { imported: 1.3 },
  verdict,
});
const PARTS = [part('a.ts', 'taken', 3), part('b.ts', 'doubled', 2), part('c.ts', 'overBudget', 1)];
const ASK: ExplainAsk = {
  path: 'src/main.ts',
  line: 11,
  character: 6,
  window: { path: 'src/main.ts', prefix: 'one\ntwo\nthree ', suffix: ' end\nnext\n', start: 0, end: 0 },
  context: { files: [{ path: 'a.ts', text: PARTS[0]!.text }], parts: PARTS },
  suffixFirst: true,
  countTokens: (text) => text.length,
  notes: ['A note.'],
};

describe('the explanation of a prompt', () => {
  it('has every part with its lines, tokens, score and signals, in the order in which the model sees them', () => {
    const { shown, tokens, line, column } = explain(ASK);
    assert.deepEqual(
      shown.map(({ source, path, firstLine, lastLine }) => [source, path, firstLine, lastLine]),
      [
        ['similar', 'a.ts', 5, 6],
        ['suffix', 'src/main.ts', 12, 13],
        ['prefix', 'src/main.ts', 10, 12],
      ],
    );
    assert.equal(tokens, PARTS[0]!.text.length + 10 + 14);
    assert.deepEqual([line, column], [12, 7]);
    assert.deepEqual([shown[0]!.score, shown[0]!.signals], [3, { imported: 1.3 }]);
    const psm = explain({ ...ASK, suffixFirst: false }).shown;
    assert.deepEqual(
      psm.map(({ source }) => source),
      ['similar', 'prefix', 'suffix'],
    );
  });

  it('says of what was left out why', () => {
    const explanation = explain(ASK);
    assert.deepEqual(
      explanation.leftOut.map(({ path }) => path),
      ['b.ts', 'c.ts'],
    );
    const text = explanationText(explanation);
    assert.match(text, /^Prompt at src\/main\.ts:12:7: \d+ tokens in 3 parts/);
    assert.match(text, /A note\./);
    assert.match(text, / 1\. similar {5}a\.ts:5-6 {2}\d+ tokens, score 3\.00, imported 1\.3\n/);
    assert.match(text, /b\.ts:5-6 .*a piece that is shown has the same lines/);
    assert.match(text, /c\.ts:5-6 .*used up the budget/);
    assert.match(text, /--- 3\. src\/main\.ts:10-12 ---\none\ntwo\nthree\n$/);
  });

  it('does without context', () => {
    const { shown, leftOut } = explain({ ...ASK, context: null });
    assert.equal(shown.length, 2);
    assert.deepEqual(leftOut, []);
  });
});

import assert from 'node:assert/strict';
import { FileIndex } from '../../../extension/common/context/fileIndex.ts';
import { gatherCandidates, type ContextAsk } from '../../../extension/common/context/gather.ts';
import { packContext, type ContextPlan } from '../../../extension/common/context/pack.ts';
import { CONTEXT_SOURCES, type ContextCandidate } from '../../../extension/common/context/types.ts';

const FILES: Record<string, string> = {
  'src/prices.ts': 'export function priceOf(item: Item): number {\n  return item.price * TAX_RATE;\n}\n',
  'src/cart.ts': 'const basketTotal = basket.items.reduce((sum, item) => sum + priceOf(item), 0);\n',
  'test/cart.test.ts': 'const basketTotal = basket.items.reduce((sum, item) => sum + priceOf(item), 0);\n',
  'docs/readme.ts': 'unrelated();\n',
};
const ABOVE = "import { readFile } from 'node:fs';\nimport { priceOf } from './prices.js';\n";
const ASK: ContextAsk = {
  path: 'src/order.ts',
  above: ABOVE,
  prefix: 'export function order(basket) {\n  const basketTotal = basket.items.map((item) => priceOf(item',
  suffix: '));\n}\n',
  recent: [],
};

function candidates(change: Partial<ContextAsk> = {}, gone: string[] = []): ContextCandidate[] {
  const index = new FileIndex();
  for (const [path, text] of Object.entries(FILES)) index.set(path, text);
  const textOf = (path: string): string | undefined => (gone.includes(path) ? undefined : FILES[path]);
  return gatherCandidates({ index, textOf }, { ...ASK, ...change }, CONTEXT_SOURCES);
}

const of = (source: string, all: ContextCandidate[]): ContextCandidate[] =>
  all.filter((one) => one.source === source);

describe('context beyond the file', () => {
  it('has the import lines that the window does not reach', () => {
    const [one] = of('ownImports', candidates());
    assert.equal(one!.text, ABOVE);
    assert.equal(one!.path, 'src/order.ts');
    assert.deepEqual(of('ownImports', candidates({ above: '', prefix: ABOVE + ASK.prefix })), []);
  });

  it('has the declarations of the document outside of the window', () => {
    const file = `${ABOVE}${ASK.prefix}${ASK.suffix}\nexport class Basket {\n  total(): number {\n    if (x) {`;
    const index = new FileIndex();
    const all = gatherCandidates({ index, textOf: (path) => (path === ASK.path ? file : undefined) }, ASK, [
      'outline',
    ]);
    assert.deepEqual(
      of('outline', all).map(({ text, firstLine }) => [text, firstLine]),
      [['export class Basket {\n  total(): number {\n', 6]],
    );
  });

  it('has the definition of an imported name that is used near the caret', () => {
    const [one] = of('definition', candidates());
    assert.equal(one!.path, 'src/prices.ts');
    assert.equal(one!.text, FILES['src/prices.ts']);
    assert.deepEqual(of('definition', candidates({ prefix: 'const a = ' })), []);
  });

  it('has code with the same words, of the same folder first, never of the document itself', () => {
    const paths = of('similar', candidates()).map((one) => one.path);
    assert.deepEqual(paths.slice(0, 2), ['src/cart.ts', 'test/cart.test.ts']);
    assert.ok(!paths.includes('docs/readme.ts'));
    const own = of('similar', candidates({ path: 'src/cart.ts' })).map((one) => one.path);
    assert.ok(!own.includes('src/cart.ts'));
  });

  it('takes a file that was edited lately before one of the same folder', () => {
    const [first] = of('similar', candidates({ recent: ['test/cart.test.ts'] }));
    assert.equal(first!.path, 'test/cart.test.ts');
    assert.deepEqual(first!.signals, { recent: 1.3 });
  });

  it('leaves out what can no longer be read', () => {
    const all = candidates({}, ['src/cart.ts', 'src/prices.ts']);
    assert.deepEqual(
      all.map((one) => one.path),
      ['src/order.ts', 'test/cart.test.ts'],
    );
  });

  it('looks for no source that is off', () => {
    const index = new FileIndex();
    for (const [path, text] of Object.entries(FILES)) index.set(path, text);
    const read: string[] = [];
    const textOf = (path: string): string | undefined => {
      read.push(path);
      return FILES[path];
    };
    gatherCandidates({ index, textOf }, ASK, ['ownImports', 'definition']);
    assert.deepEqual(read, ['src/prices.ts']);
  });

  it('has nothing in an empty workspace', () =>
    assert.deepEqual(
      gatherCandidates(
        { index: new FileIndex(), textOf: () => undefined },
        { ...ASK, above: '' },
        CONTEXT_SOURCES,
      ),
      [],
    ));
});

const PLAN: ContextPlan = {
  sources: ['ownImports', 'definition', 'similar'],
  budgetTokens: 200,
  piecesOfSource: { ownImports: 1, outline: 1, definition: 2, similar: 1 },
};

function piece(
  source: ContextCandidate['source'],
  path: string,
  firstLine: number,
  text: string,
): ContextCandidate {
  return { source, path, firstLine, text, score: 1, signals: {} };
}

describe('packing', () => {
  const pieces = [
    piece('ownImports', 'a.ts', 0, 'import b;\n'),
    piece('definition', 'b.ts', 0, 'b = 1\nb = 2\n'),
    piece('similar', 'b.ts', 1, 'b = 2\nb = 3\n'),
    piece('similar', 'c.ts', 0, 'window\n'),
    piece('similar', 'd.ts', 0, 'd\n'),
    piece('similar', 'e.ts', 0, 'e\n'),
  ];

  it('says what became of each candidate, and why', () => {
    const { parts, files } = packContext(pieces, PLAN, 'the window\n shows this');
    assert.deepEqual(
      parts.map((part) => part.path),
      ['b.ts', 'a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'],
    );
    assert.deepEqual(
      parts.map((part) => part.verdict),
      ['taken', 'taken', 'doubled', 'inWindow', 'taken', 'overBudget'],
    );
    assert.deepEqual(
      files.map((file) => file.path),
      ['a.ts', 'b.ts', 'd.ts'],
    );
  });

  it('keeps within the budget and takes a smaller piece that still fits', () => {
    const large = piece('similar', 'large.ts', 0, `${'x'.repeat(90)}\n`);
    const { files } = packContext([large, pieces[4]!], { ...PLAN, budgetTokens: 10 }, '');
    assert.deepEqual(files, [{ path: 'd.ts', text: 'd\n' }]);
  });

  it('shows only the sources that are on', () => {
    const { files, parts } = packContext(pieces, { ...PLAN, sources: ['similar'] }, '');
    assert.deepEqual(
      files.map((file) => file.path),
      ['b.ts'],
    );
    assert.equal(parts.length, 4);
  });
});

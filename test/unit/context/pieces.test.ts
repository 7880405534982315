import assert from 'node:assert/strict';
import { declarationOf } from '../../../extension/common/context/definition.ts';
import { outlineOf } from '../../../extension/common/context/outline.ts';
import { bestSnippet } from '../../../extension/common/context/snippets.ts';

const CODE = `import { x } from './x.js';

export interface Options {
  retries: number;
  delayMs: number;
}

export async function fetchAll(
  urls: string[],
): Promise<void> {
  await x(urls);
}

const fetchAllNow = 3;
type $Id = string | number;
`;
const PYTHON = `class Session(Base):
    def close(self):
        self.pool.clear()

        return None

    def open(self): ...
`;
const DECLARATIONS: [string, string, string, number, string | undefined][] = [
  ['to its closing bracket', CODE, 'Options', 2, CODE.split('\n').slice(2, 6).join('\n') + '\n'],
  [
    'with parameters on lines of their own',
    CODE,
    'fetchAll',
    7,
    'export async function fetchAll(\n  urls: string[],\n): Promise<void> {\n',
  ],
  ['of one line', CODE, 'fetchAllNow', 13, 'const fetchAllNow = 3;\n'],
  ['with a sign in its name', CODE, '$Id', 14, 'type $Id = string | number;\n'],
  ['to where the indentation ends', PYTHON, 'close', 1, PYTHON.split('\n').slice(1, 5).join('\n') + '\n'],
  ['only uses', CODE, 'x', 0, undefined],
  ['part of a name', CODE, 'fetch', 0, undefined],
];

describe('a declaration', () => {
  for (const [title, text, name, firstLine, expected] of DECLARATIONS) {
    it(title, () => {
      const found = declarationOf(text, name, 300);
      assert.deepEqual(found, expected === undefined ? undefined : { firstLine, text: expected });
    });
  }

  it('is cut to whole lines within its length', () =>
    assert.equal(
      declarationOf(CODE, 'Options', 60)!.text,
      'export interface Options {\n  retries: number;\n',
    ));
});

describe('the best snippet of a file', () => {
  const filler = Array.from({ length: 40 }, (_, i) => `filler${i} = nothing${i};`).join('\n');
  const text = `${filler}\nconst price = basket.total();\napply(price, discount);\n${filler}\n`;
  const query = new Map([
    ['price', 2],
    ['discount', 1],
  ]);

  it('is where the words of the query stand', () => {
    const snippet = bestSnippet(text, query, () => 1, 200)!;
    assert.ok(snippet.text.includes('apply(price, discount)'), snippet.text);
    assert.ok(snippet.text.length <= 200 && snippet.text.endsWith('\n'));
    assert.equal(text.split('\n').slice(snippet.firstLine).join('\n').startsWith(snippet.text), true);
  });

  it('is none without one of the words', () =>
    assert.equal(
      bestSnippet(text, new Map([['absent', 1]]), () => 1, 200),
      undefined,
    ));
  it('is none of an empty file', () =>
    assert.equal(
      bestSnippet('', query, () => 1, 200),
      undefined,
    ));
});

describe('an outline', () => {
  const lines = CODE.split('\n');

  it('has the first lines of the declarations that are not shown', () =>
    assert.deepEqual(outlineOf(CODE, { from: 0, to: 2 }, 500), {
      firstLine: 2,
      text: [2, 7, 13, 14].map((line) => `${lines[line]}\n`).join(''),
    }));

  it('keeps the nearest ones within its length', () =>
    assert.deepEqual(outlineOf(CODE, { from: 14, to: 15 }, 30), { firstLine: 13, text: `${lines[13]}\n` }));

  it('has methods, and no statements that look like them', () => {
    const text =
      'class A:\n    def run(self):\n        if (x):\n  if (y) {\n  get size(): number {\n  call(x);\n';
    assert.equal(
      outlineOf(text, { from: 9, to: 9 }, 500)!.text,
      'class A:\n    def run(self):\n  get size(): number {\n',
    );
  });

  it('is none where everything is shown', () =>
    assert.equal(outlineOf(CODE, { from: 0, to: lines.length }, 500), undefined));
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codeLanguageOf } from '../../../extension/common/files/codeLanguages.ts';
import { filePlaces } from '../../../extension/common/places/filePlaces.ts';
import { seededRandom } from '../../../extension/common/random.ts';

const FILE = [
  '// Copyright of somebody',
  '',
  "import { price } from './price.ts';",
  '',
  'export function total(items: Item[]): number {',
  '  const prices = items.map((item) => price(item));',
  '  return prices.reduce((sum, one) => sum + one, 0);',
  '}',
  '',
].join('\n');

describe('places of a file', () => {
  const all = Array.from({ length: 40 }, (_, seed) =>
    filePlaces('src/total.ts', FILE, 3, seededRandom(seed)),
  ).flat();

  it('are where code is written, with what stands around them', () => {
    assert.ok(all.length > 60);
    for (const { path, offset, prefix, suffix, text } of all) {
      assert.equal(path, 'src/total.ts');
      assert.ok(FILE.slice(0, offset).endsWith(prefix) && prefix.startsWith('//'));
      assert.ok(FILE.slice(offset).startsWith(text) && !text.includes('\n'));
      assert.ok(FILE.slice(offset + text.length).startsWith(suffix));
      const line = FILE.slice(0, offset).split('\n').length - 1;
      assert.ok([4, 5, 6].includes(line), `line ${line}`);
    }
    const starts = all.filter(({ offset }) => FILE.slice(0, offset).trimEnd().endsWith('{'));
    assert.ok(starts.length > 0 && starts.length < all.length, 'at the start of a line, and inside of one');
  });

  it('are none where a line is not typed by anybody, or too much would be taught', () => {
    const long = `const table = [${'1, '.repeat(60)}];\n`;
    assert.deepEqual(
      filePlaces('a.ts', long, 3, seededRandom(1)).filter(({ text }) => text.length > 160),
      [],
    );
    assert.deepEqual(filePlaces('a.ts', `${FILE}${'x'.repeat(1001)}\n`, 3, seededRandom(1)), []);
    assert.deepEqual(filePlaces('a.ts', '', 3, seededRandom(1)), []);
  });

  it('spell the file, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(), (text, seed) => {
        for (const place of filePlaces('a.py', text, 5, seededRandom(seed))) {
          assert.equal(text.slice(place.offset, place.offset + place.text.length), place.text);
          assert.notEqual(place.text.trim(), '');
        }
      }),
    );
  });
});

describe('the language of a path', () => {
  const cases: [path: string, language: string | undefined][] = [
    ['src/a.ts', 'typescript'],
    ['a.d.ts', 'typescript'],
    ['lib/__init__.py', 'python'],
    ['README.md', undefined],
    ['ts', undefined],
    ['Makefile', undefined],
    ['folder.py/data', undefined],
    ['a.constructor', undefined],
  ];
  for (const [path, language] of cases)
    it(`${path}: ${language ?? 'none'}`, () => assert.equal(codeLanguageOf(path), language));
});

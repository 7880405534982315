import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { FileIndex } from '../../../extension/common/context/fileIndex.ts';
import { wordsOf } from '../../../extension/common/context/words.ts';

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'alphaBeta', 'omega');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const change = fc.record({ path: fc.constantFrom('a.ts', 'b.ts', 'c.ts', 'd.ts'), text: fc.option(text) });

/** BM25 by its formula, without an index. */
function naive(files: Map<string, string>, query: Map<string, number>): Map<string, number> {
  const words = new Map([...files].map(([path, content]) => [path, wordsOf(content)]));
  const mean = [...words.values()].reduce((sum, all) => sum + all.length, 0) / Math.max(1, files.size);
  const scores = new Map<string, number>();
  for (const [one, times] of query) {
    const having = [...words.values()].filter((all) => all.includes(one)).length;
    const weight = times * Math.log(1 + (files.size - having + 0.5) / (having + 0.5));
    for (const [path, all] of words) {
      const count = all.filter((other) => other === one).length;
      if (count === 0) continue;
      const score = (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * all.length) / mean));
      scores.set(path, (scores.get(path) ?? 0) + score);
    }
  }
  return scores;
}

describe('file index', () => {
  it('scores as the formula does, whatever was added, changed and taken out', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const index = new FileIndex();
        const files = new Map<string, string>();
        for (const { path, text: content } of changes) {
          if (content === null) {
            index.delete(path);
            files.delete(path);
          } else {
            index.set(path, content);
            files.set(path, content);
          }
        }
        const query = new Map([
          ['alpha', 3],
          ['beta', 1],
          ['omega', 2],
          ['nowhere', 2],
        ]);
        const expected = naive(files, query);
        const found = index.match(query);
        assert.equal(index.size, files.size);
        assert.deepEqual(new Set(found.map(({ path }) => path)), new Set(expected.keys()));
        for (const { path, score } of found) assert.ok(Math.abs(score - expected.get(path)!) < 1e-9);
      }),
    );
  });

  it('scores so over packed segments, too, with half of the files gone or edited', () => {
    const index = new FileIndex();
    const files = new Map<string, string>();
    const set = (path: string, content: string) => {
      index.set(path, content);
      files.set(path, content);
    };
    for (let file = 0; file < 2500; file++) set(`f${file}.ts`, `shared word${file % 97} own${file}`);
    const { bytes } = index;
    for (let file = 0; file < 900; file++) {
      index.delete(`f${file}.ts`);
      files.delete(`f${file}.ts`);
    }
    assert.ok(index.bytes < bytes * 0.6, `${index.bytes} of ${bytes}`);
    for (let file = 1100; file < 1900; file++) set(`f${file}.ts`, `shared again${file % 5}`);
    const query = new Map([
      ['word13', 1],
      ['again3', 1],
      ['own2000', 1],
    ]);
    const expected = naive(files, query);
    const found = index.match(query);
    assert.equal(index.size, files.size);
    assert.deepEqual(new Set(found.map(({ path }) => path)), new Set(expected.keys()));
    for (const { path, score } of found) assert.ok(Math.abs(score - expected.get(path)!) < 1e-9);
    assert.equal(index.weight('shared'), Math.log(1 + (1600 - 1600 + 0.5) / (1600 + 0.5)));
    const best = [...found].sort((left, right) => right.score - left.score).slice(0, 3);
    assert.deepEqual(new Set(index.match(query, 1)), new Set(best.slice(0, 1)));
  });

  it('gives back the memory of what was taken out', () => {
    const index = new FileIndex();
    for (let i = 0; i < 20_000; i++) index.set(`f${i % 7}.ts`, `shared name${i} other${i}`);
    assert.equal(index.size, 7);
    assert.equal(index.bytes, 0);
    assert.equal(index.match(new Map([['shared', 1]])).length, 7);
  });
});

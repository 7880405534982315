import assert from 'node:assert/strict';
import type { ServedBy } from '../../../extension/common/cache/servedBy.ts';
import { TypeThroughCache } from '../../../extension/common/cache/typeThroughCache.ts';

const SERVED_BY = { model: 'm', template: 'qwen, psm', adapterVersion: 1, adapterScale: 1 };

/** A cache with one suggestion made at `|`. */
function cacheWith(marked: string, text: string): TypeThroughCache {
  const cache = new TypeThroughCache();
  const [before, after] = split(marked);
  cache.put({ id: 'a', document: 'd', before, after, text, servedBy: SERVED_BY });
  return cache;
}

function split(marked: string): [string, string] {
  const caret = marked.indexOf('|');
  return [marked.slice(0, caret), marked.slice(caret + 1)];
}

/** `rest of the suggestion` plus `~n` where n units to the right are replaced; undefined: no answer. */
function find(cache: TypeThroughCache, marked: string, document = 'd'): string | undefined {
  const hit = cache.find(document, ...split(marked));
  if (!hit) return undefined;
  assert.equal(hit.suggestion.id, 'a');
  return hit.suggestion.text.slice(hit.typed) + (hit.replaced > 0 ? `~${hit.replaced}` : '');
}

describe('type-through cache', () => {
  const cases: [made: string, text: string, asked: string, answer: string | undefined][] = [
    ['x = |;\n', 'foo(1)', 'x = |;\n', 'foo(1)'],
    ['x = |;\n', 'foo(1)', 'x = fo|;\n', 'o(1)'],
    ['x = |;\n', 'foo(1)', 'x = foo(1|;\n', ')'],
    ['x = |;\n', 'foo(1)', 'x = foo(1)|;\n', undefined],
    ['x = |;\n', 'foo(1)', 'x = fa|;\n', undefined],
    ['x = |;\n', 'foo(1)', 'x =|;\n', undefined],
    ['x = |;\n', 'foo(1)', 'y = fo|;\n', undefined],
    ['x = |;\n', 'foo(1)', 'x = fo|:\n', undefined],
    ['x = |', 'foo(1)', 'x = foo(|)', '1)~1'],
    ['x = |;', 'foo(1)', 'x = foo(|);', '1)~1'],
    ['x = |', 'foo([1])', 'x = foo([|])', '1])~2'],
    ['x = |', 'foo', 'x = f|)', undefined],
    ['|', 'a\n  b', 'a\n|', '  b'],
    ['|', 'aa', 'a|', 'a'],
  ];
  for (const [made, text, asked, answer] of cases) {
    it(`made at ${JSON.stringify(made)} as ${JSON.stringify(text)}, asked at ${JSON.stringify(asked)}`, () => {
      assert.equal(find(cacheWith(made, text), asked), answer);
    });
  }

  it('answers after backspace and retyping', () => {
    const cache = cacheWith('x = |', 'foo');
    assert.equal(find(cache, 'x = fo|'), 'o');
    assert.equal(find(cache, 'x = |'), 'foo');
    assert.equal(find(cache, 'x =|'), undefined);
    assert.equal(find(cache, 'x = f|'), 'oo');
  });

  it('keeps places apart that look alike only near the caret', () => {
    const far = 'y'.repeat(200);
    const cache = cacheWith(`a${far}|`, 'foo');
    assert.equal(find(cache, `b${far}|`), undefined);
  });

  it('keeps documents apart and forgets', () => {
    const cache = cacheWith('|', 'foo');
    assert.equal(find(cache, '|', 'other'), undefined);
    cache.forget('a');
    assert.equal(find(cache, '|'), undefined);
  });

  const changes: Partial<ServedBy>[] = [
    { model: 'n' },
    { template: 'none' },
    { adapterVersion: 2 },
    { adapterScale: 0.5 },
  ];
  for (const change of changes) {
    it(`drops everything when something else serves: ${JSON.stringify(change)}`, () => {
      const cache = cacheWith('|', 'foo');
      const [name] = Object.keys(change) as (keyof ServedBy)[];
      cache.serve({ [name!]: SERVED_BY[name!] });
      cache.serve({});
      assert.equal(find(cache, '|'), 'foo');
      cache.serve(change);
      assert.equal(find(cache, '|'), undefined);
      const other = cacheWith('|', 'foo');
      const [before, after] = split('x|');
      const servedBy = { ...SERVED_BY, ...change };
      other.put({ id: 'b', document: 'e', before, after, text: 'bar', servedBy });
      assert.equal(find(other, '|'), undefined, 'an answer says it, too');
      assert.ok(other.find('e', before, after));
    });
  }

  it('is bounded', () => {
    const cache = cacheWith('|', 'foo');
    for (let index = 0; index < 100; index++) {
      cache.put({ id: `b${index}`, document: 'e', before: '', after: '', text: 'x', servedBy: SERVED_BY });
    }
    assert.equal(find(cache, '|'), undefined);
  });
});

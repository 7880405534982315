import assert from 'node:assert/strict';
import { namesNear } from '../../../extension/common/context/placeNames.ts';

const IMPORTS = `import { readCart, type Cart } from './cart.js';\nimport { unused } from './other.js';\n`;

/** Names with their distances; each place must be the name's. */
function names(imports: string, before: string): [string, number][] {
  return namesNear(imports, before).map(({ name, line, character, distance }) => {
    assert.equal(before.split('\n')[line]!.slice(character, character + name.length), name);
    return [name, distance];
  });
}

describe('names to ask the language server for', () => {
  it('are those imported or called, the nearest first, each once', () => {
    const before = `function total(cart: Cart) {\n  const lines = readCart(cart);\n  return sum(lines.map(price`;
    assert.deepEqual(names(IMPORTS, before), [
      ['map', 0],
      ['sum', 0],
      ['readCart', 1],
      ['Cart', 2],
      ['total', 2],
    ]);
  });

  it('are no keywords, and none far away', () => {
    assert.deepEqual(names(IMPORTS, `readCart(1)\n${'\n'.repeat(12)}if (ready) for (`), []);
    assert.deepEqual(names('from .cart import read_cart\n', 'x = read_cart'), [['read_cart', 0]]);
    assert.deepEqual(names('', ''), []);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultRow, GUARDED_FAULTS } from '../guards.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const squeezed = (text: string) => text.replace(/ +/g, ' ');

describe('docs/known-faults.md', () => {
  it('lists the guarded faults', () => {
    const rows = squeezed(read('docs/known-faults.md'))
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (kind|---)/.test(line));
    assert.deepEqual(rows, GUARDED_FAULTS.map(faultRow).map(squeezed));
  });

  it('names tests that are there of what has no guard of one line', () => {
    const named = [...read('docs/known-faults.md').matchAll(/^- .*`(test\/[^:]+): (.+)`$/gm)];
    assert.ok(named.length > 0);
    for (const [, test, name] of named) assert.ok(read(test!).includes(name!), name);
  });

  for (const { kind, test, name, file, guard } of GUARDED_FAULTS) {
    it(`names a test and a guard that are there: ${kind}, ${name}`, () => {
      assert.equal(read(file).split(guard).length, 2, file);
      // A name is put together where it stands for several tests.
      const words = name.split(/[:,]/, 1)[0]!;
      assert.ok(read(test).includes(words), test);
    });
  }
});

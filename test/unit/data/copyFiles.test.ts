import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyFiles, filesBelow } from '../../../trainer/data/copyFiles.ts';

describe('copying what a running companion deletes meanwhile', () => {
  let top: string;
  let from: string;
  let to: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'hone copy ü '));
    [from, to] = [join(top, 'from'), join(top, 'to')];
    for (const step of ['a', 'b']) {
      mkdirSync(join(from, step), { recursive: true });
      writeFileSync(join(from, step, 'adapter'), step);
    }
  });
  afterEach(() => rmSync(top, { recursive: true }));

  it('copies every file, and a file alone', () => {
    copyFiles(from, to, filesBelow(from));
    assert.deepEqual([...filesBelow(to)].sort(), [join('a', 'adapter'), join('b', 'adapter')]);
    const log = join(from, 'a', 'adapter');
    copyFiles(log, join(top, 'log'), filesBelow(log));
    assert.equal(readFileSync(join(top, 'log'), 'utf8'), 'a');
  });

  it('leaves out a file and a folder that went since their folder was read', () => {
    const [first, second] = [...filesBelow(from)] as [string, string];
    rmSync(join(from, second));
    copyFiles(from, to, [first, second]);
    assert.deepEqual([...filesBelow(to)], [first]);

    const rest = filesBelow(from);
    rest.next();
    rmSync(join(from, 'b'), { recursive: true });
    assert.deepEqual([...rest], []);
    assert.deepEqual([...filesBelow(join(top, 'never'))], []);
  });
});

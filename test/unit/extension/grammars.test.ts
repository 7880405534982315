import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLOCK_LANGUAGES, GRAMMARS } from '../../../extension/common/syntax/languages.ts';
import { Grammars } from '../../../extension/node/grammars.ts';

describe('grammars', () => {
  it('are all there, and parse', async () => {
    const warnings: string[] = [];
    const grammars = new Grammars(import.meta.filename, (message) => warnings.push(message));
    for (const grammar of GRAMMARS) await grammars.load(grammar);
    for (const languageId of Object.keys(BLOCK_LANGUAGES)) {
      const tree = grammars.syntaxOf(languageId)!.parser.parse('a');
      assert.ok(tree, languageId);
      tree.delete();
    }
    assert.deepEqual(warnings, []);
  });

  it('are loaded when they are asked for, and only for languages that have one', async () => {
    const grammars = new Grammars(import.meta.filename, assert.fail);
    assert.equal(grammars.syntaxOf('go'), undefined);
    await grammars.load('go');
    assert.ok(grammars.syntaxOf('go'));
    assert.equal(grammars.syntaxOf('plaintext'), undefined);
  });

  it('that are not there are told of once, and nothing parses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hone-'));
    const warnings: string[] = [];
    const grammars = new Grammars(join(folder, 'bundle.cjs'), (message) => warnings.push(message));
    for (let i = 0; i < 3; i++) {
      assert.equal(grammars.syntaxOf('python'), undefined);
      await grammars.load('python');
    }
    rmSync(folder, { recursive: true });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^The grammar of python can't be loaded/);
  });
});

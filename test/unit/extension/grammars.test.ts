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

  const PLAIN = 'function sum(a: number, b: number): number {\n  return a + b;\n}\n';

  it('give up a text that no rule fits to, say so once, and parse the next one', async () => {
    const warnings: string[] = [];
    const grammars = new Grammars(
      import.meta.filename,
      (message) => warnings.push(message),
      () => 0,
    );
    await grammars.load('typescript');
    const { parser } = grammars.syntaxOf('typescript')!;
    for (let i = 0; i < 2; i++) {
      assert.equal(parser.parse('({'.repeat(1500)), null);
      const tree = parser.parse(PLAIN.repeat(30))!;
      assert.equal(tree.rootNode.hasError, false);
      assert.equal(tree.rootNode.namedChildren.length, 30);
      tree.delete();
    }
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^A text in typescript takes too long/);
  });

  it('give up a text that takes them more than 4 ms', async () => {
    let ms = 0;
    let stepMs = 0;
    const warnings: string[] = [];
    const grammars = new Grammars(
      import.meta.filename,
      (message) => warnings.push(message),
      () => (ms += stepMs),
    );
    await grammars.load('typescript');
    const { parser } = grammars.syntaxOf('typescript')!;
    parser.parse(PLAIN.repeat(30))!.delete();
    stepMs = 0.9;
    assert.equal(parser.parse(PLAIN.repeat(30)), null);
    assert.equal(warnings.length, 1);
  });

  it('wait for a computer that is busy elsewhere', async () => {
    let ms = 0;
    const pauses = [0, 50, 0, 50];
    const grammars = new Grammars(import.meta.filename, assert.fail, () => (ms += pauses.shift() ?? 0));
    await grammars.load('typescript');
    const { parser } = grammars.syntaxOf('typescript')!;
    parser.parse(PLAIN.repeat(30))!.delete();
    assert.equal(ms, 100);
  });
});

import assert from 'node:assert/strict';
import type { Explanation } from '../../extension/common/context/explain.ts';
import { runHone } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { WorkspaceFolder } from '../fixtures/workspaceFolder.ts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

describe('hone explain', function () {
  this.timeout(60_000);
  const models = temporaryFolder();
  const model = join(models, 'tiny.gguf');
  const folder = new WorkspaceFolder();
  const run = (place: string, ...more: string[]) =>
    runHone(['explain', folder.path(place), '--workspace', folder.root, '--model', model, ...more]);

  before(() => {
    writeTinyModel(model);
    folder.write({
      'src/cart.js': 'export function cartTotal(items) {\n  return items.length;\n}\n',
      'src/main.js': 'import { cartTotal } from "./cart.js";\n\nconst sum = cartTotal(\n);\n',
      'out/cart.js': 'export function cartTotal(items) {}\n',
      '.gitignore': 'out/\n',
    });
  });
  after(() => {
    folder.remove();
    rmSync(models, { recursive: true });
  });

  it('says what the prompt consists of, in JSON and as a page', async () => {
    const { code, output, errors } = await run('src/main.js:3:23', '--json');
    assert.equal(code, 0, errors);
    const explanation = JSON.parse(output) as Explanation;
    assert.deepEqual([explanation.path, explanation.line, explanation.column], ['src/main.js', 3, 23]);
    assert.deepEqual(
      explanation.shown.map(({ source, path, firstLine, lastLine }) => [source, path, firstLine, lastLine]),
      [
        ['definition', 'src/cart.js', 1, 3],
        ['suffix', 'src/main.js', 3, 4],
        ['prefix', 'src/main.js', 1, 3],
      ],
    );
    assert.ok(explanation.shown.every(({ tokens }) => tokens > 0));
    assert.ok(explanation.leftOut.every(({ path }) => !path.startsWith('out/')));
    const page = await run('src/main.js:3:23');
    assert.match(page.output, /definition {2}src\/cart\.js:1-3 .*distance 0/);
  });

  it('names what is wrong with a place', async () => {
    const missing = await run('src/none.js:1:1');
    assert.equal(missing.code, 1);
    assert.match(missing.errors, /none\.js can't be read.*\[invalid_request\]/);
    assert.equal((await run('src/main.js:0:1')).code, 2);
    assert.equal((await run('src/main.js')).code, 2);
  });
});

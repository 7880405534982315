import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DEFAULT_CONTEXT_PLAN } from '../../extension/common/context/pack.ts';
import { CONTEXT_SOURCES } from '../../extension/common/context/types.ts';
import { lineRequest } from '../../extension/common/prompt/request.ts';
import { ContextThread } from '../../extension/node/contextThread.ts';
import { openTinyService } from '../fixtures/tinyService.ts';
import { until } from '../fixtures/until.ts';
import { WorkspaceFolder } from '../fixtures/workspaceFolder.ts';

const SCRIPT = join(import.meta.dirname, '../../extension/node/contextWorker.ts');
const CART = 'export function cartTotal(items) {\n  return items.length;\n}\n';
const MANY_FILES = 1500;

describe("the thread of the workspace's index", function () {
  this.timeout(60_000);
  let folder: WorkspaceFolder;
  let thread: ContextThread;
  let log: string[];
  beforeEach(() => {
    folder = new WorkspaceFolder();
    log = [];
    thread = open(SCRIPT);
  });
  afterEach(() => {
    thread.close();
    folder.remove();
  });

  const open = (script: string) =>
    new ContextThread({ script, log: (level, message) => log.push(`${level}: ${message}`) });
  const workspace = () => ({
    folders: [{ root: folder.root, label: '' }],
    excludedPatterns: [],
    countsWords: true,
  });
  const indexed = () =>
    until(() => log.some((line) => line.startsWith('info: Index of the workspace: ')), 'the index');
  const ask = () => {
    const place = {
      path: 'main.js',
      prefix: 'const sum = cartTotal(',
      suffix: ');\n',
      above: '',
      recent: [],
    };
    return thread.ask({
      ask: place,
      definitions: [],
      plan: { ...DEFAULT_CONTEXT_PLAN, sources: CONTEXT_SOURCES },
    });
  };
  const paths = async () => (await ask())?.files.map(({ path }) => path);

  it('gives the companion what the model is shown', async () => {
    folder.write({ 'cart.js': CART });
    thread.index(workspace());
    await indexed();
    const context = await ask();
    const tiny = await openTinyService();
    try {
      const window = { prefix: 'const sum = cartTotal(', suffix: ');\n', path: 'main.js', start: 0, end: 26 };
      const facts = { workspace: 'w', language: 'javascript', session: 's', documentVersion: 1, offset: 22 };
      await tiny.complete(lineRequest(window, { ...facts, record: true, files: context!.files }));
      const shown = `<|file_sep|>cart.js\n${CART}<|file_sep|>main.js\n`;
      assert.equal(tiny.records[0]!.promptText.slice(0, shown.length), shown);
    } finally {
      await tiny.close();
    }
  });

  it('follows documents and the disk', async () => {
    folder.write({ 'cart.js': CART });
    thread.index(workspace());
    await indexed();
    assert.deepEqual(await paths(), ['cart.js']);
    thread.document('cart.js', 'export const nothing = 1;\n');
    assert.deepEqual(await paths(), []);
    thread.document('cart.js', null);
    await until(async () => (await paths())?.[0] === 'cart.js', 'the closed file');
    folder.write({ 'cart.js': 'export const gone = 1;\n' });
    thread.changed([folder.path('cart.js')]);
    await until(async () => (await paths())?.length === 0, 'the changed file');
  });

  it('has nothing to say when it is off, and forgets what it had', async () => {
    assert.equal(await ask(), null);
    folder.write({ 'cart.js': CART });
    thread.index(workspace());
    const open = ask();
    thread.index(null);
    assert.equal(await open, null);
    assert.equal(await ask(), null);
  });

  it('leaves completions alone when it can’t go on, and says so', async () => {
    thread = open(join(folder.root, 'missing.ts'));
    thread.index(workspace());
    assert.equal(await ask(), null);
    await until(() => log.length > 0, 'a warning');
    assert.match(log.join(), /^warn: The index of the workspace ended: .*missing\.ts/);
    thread.index(null);
  });

  it('answers while it reads thousands of files', async () => {
    const files = Array.from({ length: MANY_FILES }, (_, file) => [
      `pkg${file % 40}/src/f${file}.ts`,
      `export function own${file}() {\n  return shared${file % 100};\n}\n`.repeat(10),
    ]);
    folder.write(Object.fromEntries(files) as Record<string, string>);
    folder.write({ 'cart.js': CART });
    thread.index(workspace());
    let asked = 0;
    while (!log.some((line) => line.includes(`: ${MANY_FILES + 1} files`))) {
      await ask();
      asked++;
    }
    assert.ok(asked > 3, `${asked} answers while it read`);
    assert.deepEqual(await paths(), ['cart.js']);
  });
});

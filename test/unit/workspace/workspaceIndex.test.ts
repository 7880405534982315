import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DEFAULT_CONTEXT_PLAN } from '../../../extension/common/context/pack.ts';
import { CONTEXT_SOURCES, type ContextCandidate } from '../../../extension/common/context/types.ts';
import type { FilePlace } from '../../../extension/common/places/filePlaces.ts';
import { WorkspaceIndex } from '../../../extension/workspace/workspaceIndex.ts';
import { SECRET_CASES, type SecretCase } from '../../fixtures/secrets.ts';
import { WorkspaceFolder } from '../../fixtures/workspaceFolder.ts';

const CART = 'export function cartTotal(items) {\n  return items.length;\n}\n';
const PLAN = { ...DEFAULT_CONTEXT_PLAN, sources: CONTEXT_SOURCES };
const ASK = { path: 'main.js', prefix: 'const sum = cartTotal(', suffix: ');\n', above: '', recent: [] };

describe('the index of a workspace', () => {
  let folder: WorkspaceFolder;
  let index: WorkspaceIndex;
  beforeEach(() => {
    folder = new WorkspaceFolder();
    folder.write({ 'cart.js': CART, 'other.js': 'export const other = 1;\n', '.gitignore': 'out/\n' });
    index = open();
  });
  afterEach(() => folder.remove());

  const open = (label = '', excludedPatterns: string[] = [], countsWords = true) =>
    new WorkspaceIndex({ folders: [{ root: folder.root, label }], excludedPatterns, countsWords });
  const run = (steps: Iterable<void>) => {
    for (const _ of steps);
  };
  const shown = (definitions: ContextCandidate[] = [], path = 'main.js') =>
    index.contextFor({ ask: { ...ASK, path }, definitions, plan: PLAN }).files.map((file) => file.path);
  const definition = (path: string): ContextCandidate => ({
    source: 'definition',
    path,
    firstLine: 0,
    text: `export const from = '${path}';\n`,
    score: 1,
    signals: {},
  });

  it('gives pieces of files that have words in common with the place', () => {
    run(index.scan());
    assert.deepEqual(shown(), ['cart.js']);
    assert.match(index.report().summary, /^3 files with 0\.0 MB/);
    assert.deepEqual(index.report().limits, []);
  });

  it('has places to learn from in files that may be shown, secrets masked', () => {
    const [{ secret, code: line }] = SECRET_CASES as [SecretCase];
    const code = (name: string) =>
      Array.from({ length: 9 }, (_, i) => `export const ${name}${i} = compute(${i}, '${name}');\n`).join('');
    folder.write({
      'a.ts': code('first'),
      'b.ts': `${line}\n${code('second')}`,
      'out/c.ts': code('ignored'),
      'd.test.ts': code('excluded'),
      'notes.md': code('prose'),
      '.env': `KEY=${secret}\n`,
    });
    index = open('', ['**/*.test.ts']);
    run(index.scan());
    const places = (count: number, seed: number) => {
      const found: FilePlace[] = [];
      run(index.places(count, seed, found));
      return found;
    };
    const found = places(12, 1);
    assert.ok(found.length >= 6, `${found.length}`);
    for (const { path } of found) assert.ok(['a.ts', 'b.ts', 'cart.js', 'other.js'].includes(path), path);
    assert.equal(new Set(found.map(({ path }) => path)).size > 2, true, 'of more than one file or two');
    assert.ok(
      found.some(({ path, prefix }) => path === 'b.ts' && prefix.includes('AWS_SECRET')),
      'the line stands in a prompt',
    );
    assert.ok(!JSON.stringify(found).includes(secret));
    assert.deepEqual(places(12, 1), found);
    assert.notDeepEqual(places(12, 2), found);
    assert.ok(places(1, 1).length <= 1);
  });

  it('counts no words where nothing similar is wanted, and still knows what is imported', () => {
    index = open('', [], false);
    run(index.scan());
    index.open('open.js', CART);
    assert.deepEqual(shown(), []);
    const above = "import { cartTotal } from './cart.js';\n";
    const { files } = index.contextFor({ ask: { ...ASK, above }, definitions: [], plan: PLAN });
    assert.ok(files.some(({ path, text }) => path === 'cart.js' && text === CART));
  });

  it('gives what stands in an open document, saved or not, and the file again when it is closed', () => {
    run(index.scan());
    index.open('cart.js', 'export const empty = 1;\r\n');
    assert.deepEqual(shown(), []);
    folder.write({ 'cart.js': `${CART}// written by another program\n` });
    run(index.changed([folder.path('cart.js')]));
    assert.deepEqual(shown(), []);
    index.open('new.js', 'export function cartTotal() {}\n');
    assert.deepEqual(shown(), ['new.js']);
    folder.write({ 'new.js': 'export const older = 1;\n' });
    run(index.changed([folder.path('new.js')]));
    assert.deepEqual(shown(), ['new.js']);
    run(index.close('cart.js'));
    run(index.close('new.js'));
    assert.deepEqual(shown(), ['cart.js']);
  });

  it('follows the disk', () => {
    run(index.scan());
    rmSync(folder.path('cart.js'));
    folder.write({ 'lib/sum.js': 'export const sum = cartTotal(1);\n' });
    run(index.changed([folder.path('cart.js'), folder.path('lib')]));
    assert.deepEqual(shown(), ['lib/sum.js']);
  });

  it('never gives an excluded or an ignored file, open or named by a language server', () => {
    index = open('', ['private/']);
    run(index.scan());
    for (const path of ['out/cart.js', '.env', 'private/cart.js', 'node_modules/p/cart.js'])
      index.open(path, CART);
    assert.deepEqual(shown(), ['cart.js']);
    const named = ['out/a.js', 'private/a.js', '.env', 'other.js'].map(definition);
    assert.deepEqual(shown(named), ['other.js', 'cart.js']);
  });

  it('shows no secret, also none that a piece would show half of', () => {
    const key = Array.from({ length: 12 }, (_, line) => `MIIEpAIBAAKCAQEA${String(line).repeat(48)}`).join(
      '\n',
    );
    folder.write({
      'cart.js': `// cartTotal\nconst key = \`-----BEGIN RSA PRIVATE KEY-----\n${key}\n// cartTotal sum\n-----END RSA PRIVATE KEY-----\`;\n`,
    });
    run(index.scan());
    const { files } = index.contextFor({ ask: ASK, definitions: [], plan: PLAN });
    assert.deepEqual(
      files.map(({ path }) => path),
      ['cart.js'],
    );
    assert.doesNotMatch(files[0]!.text, /MIIEpAIB|2222/);
  });

  it('tells the folders of a workspace apart by their names', () => {
    index = open('shop/');
    run(index.scan());
    assert.deepEqual(shown([], 'shop/main.js'), ['shop/cart.js']);
    assert.equal(index.whySkipped('cart.js'), 'outside');
    index.open('cart.js', CART);
    assert.deepEqual(shown([], 'shop/main.js'), ['shop/cart.js']);
  });
});

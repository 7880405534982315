import assert from 'node:assert/strict';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const PACKAGES = [
  '@secretlint/secretlint-rule-preset-recommend',
  'ignore',
  'lru-cache',
  'picomatch',
  'undici',
  'uuid',
  'zod',
];

describe('what the editor loads when the extension is activated', () => {
  it('is its own code and these packages: each further one is paid for at every start', async function () {
    this.timeout(60_000);
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ['extension/extension.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['vscode', 'node-llama-cpp', 'koffi', 'better-sqlite3'],
      metafile: true,
      write: false,
      logLevel: 'error',
    });
    const inputs = Object.keys(metafile.inputs);
    const packages = inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    assert.deepEqual([...new Set(packages)].sort(), PACKAGES);
    assert.deepEqual(
      inputs.filter((path) => !/^(?:extension|node_modules)\//.test(path)),
      [],
    );
    // Databases are opened, and grammars are loaded, on threads of their own or when a document asks for one.
    const [output] = Object.values(metafile.outputs);
    const loaded = new Set(output!.imports.filter(({ external }) => external).map(({ path }) => path));
    for (const native of ['node-llama-cpp', 'koffi', 'better-sqlite3'])
      assert.ok(!loaded.has(native), native);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editorSchema } from '../../../scripts/configReference.ts';
import { generatedDocs } from '../../../scripts/docs.ts';
import { loadConfig } from '../../../trainer/config/load.ts';
import { OWN_KEYS, type SchemaNode } from '../../../trainer/config/names.ts';
import { ALIASES, UNUSED } from '../../../trainer/config/recipe.ts';

describe('the reference of configurations', () => {
  it('is up to date: `npm run docs` writes it', async function () {
    this.timeout(30_000);
    for (const [path, text] of await generatedDocs()) assert.equal(readFileSync(path, 'utf8'), text, path);
  });

  it('shows editors every key that the loader takes, and no other', () => {
    const schema = editorSchema();
    const shown = [...leavesOf(schema, '')].sort();
    const known = [...OWN_KEYS.keys(), ...new Set(ALIASES.map(({ name }) => name)), ...UNUSED, '$schema'];
    assert.deepEqual(shown, known.sort());
    for (const section of sectionsOf(schema)) assert.equal(section.additionalProperties, false);
  });

  it('begins with an example that is valid', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
    const folder = mkdtempSync(join(tmpdir(), 'hone-example-'));
    try {
      const path = join(folder, 'hone.yaml');
      writeFileSync(path, example);
      const { config, warnings } = loadConfig(path);
      assert.equal(config.training.update.rank, 16);
      assert.deepEqual(warnings, []);
      writeFileSync(
        path,
        JSON.stringify({ $schema: 'hone.config.schema.json', training: { batchEvents: 3 } }),
      );
      assert.equal(loadConfig(path).config.training.batchEvents, 3);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function* leavesOf(node: SchemaNode, path: string): Generator<string> {
  if (node.properties === undefined) yield path;
  for (const [name, child] of Object.entries(node.properties ?? {}))
    yield* leavesOf(child, path === '' ? name : `${path}.${name}`);
}

function* sectionsOf(node: SchemaNode): Generator<SchemaNode> {
  if (node.properties === undefined) return;
  yield node;
  for (const child of Object.values(node.properties)) yield* sectionsOf(child);
}

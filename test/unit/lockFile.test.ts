import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  version?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

describe('package-lock.json', () => {
  const path = join(import.meta.dirname, '..', '..', 'package-lock.json');
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> };

  it('names no download addresses', () => {
    const addresses = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined);
    assert.deepEqual(addresses, []);
  });

  // A registry that lacks one of them makes npm leave it out, and then "npm ci" refuses the file everywhere.
  it('has an entry for each platform of the packages with native parts', () => {
    const parts = ['node-llama-cpp', 'koffi', 'esbuild'].flatMap((name) =>
      Object.entries(packages[`node_modules/${name}`]?.optionalDependencies ?? {}),
    );
    assert.ok(parts.length > 30);
    for (const [name, version] of parts)
      assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  });

  it('pins every direct dependency exactly', () => {
    const manifest = JSON.parse(readFileSync(join(path, '..', 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >;
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(all)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  });
});

import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE, FIXTURES, NODE, ROOT } from './paths.ts';

const run = promisify(execFile);
const VSCE = join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
const FLAGS = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];

/** Packs one of the small extensions under test/fixtures/e2e; returns the path of its package. */
export async function packFixture(name: string): Promise<string> {
  const packagePath = join(CACHE, 'fixtures', `${name}.vsix`);
  mkdirSync(join(CACHE, 'fixtures'), { recursive: true });
  await run(NODE, [VSCE, 'package', ...FLAGS, '--out', packagePath], { cwd: join(FIXTURES, 'e2e', name) });
  return packagePath;
}

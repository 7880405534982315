import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IgnoredDocuments } from '../../../extension/workspace/ignoredDocuments.ts';

describe('documents that git ignores', () => {
  let root: string;
  let documents: IgnoredDocuments;
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const ignored = (path: string) => documents.ignores(join(root, path));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hone-ignored-'));
    documents = new IgnoredDocuments(join(root, 'none'));
    mkdirSync(join(root, '.git'));
    write('.gitignore', 'dist/\n*.local.ts\n');
    write('src/.gitignore', '!keep.local.ts\n/generated.ts\n');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('are told by the ignore files of every folder above them, one that is not saved yet too', () => {
    assert.equal(ignored('a.ts'), false);
    assert.equal(ignored('a.local.ts'), true);
    assert.equal(ignored('dist/deep/down/a.ts'), true);
    assert.equal(ignored('src/a.local.ts'), true);
    assert.equal(ignored('src/keep.local.ts'), false);
    assert.equal(ignored('src/generated.ts'), true);
    assert.equal(ignored('src/deep/generated.ts'), false);
  });

  it('are told by the exclude file of the repository', () => {
    write('.git/info/exclude', 'notes.md\n');
    assert.equal(ignored('src/notes.md'), true);
  });

  it('are asked about again when an ignore file has changed', () => {
    assert.equal(ignored('src/a.ts'), false);
    write('src/.gitignore', 'a.ts\n');
    documents.forget();
    assert.equal(ignored('src/a.ts'), true);
  });

  it('are none outside a repository', () => {
    rmSync(join(root, '.git'), { recursive: true });
    assert.equal(ignored('src/a.ts'), false);
  });
});

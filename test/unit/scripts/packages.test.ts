import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { binaryKind, HEAD_BYTES } from '../../../scripts/binaryKind.ts';
import { checkIntegrity, lockedPackage } from '../../../scripts/lockedPackages.ts';
import { packageFaults, partsOf } from '../../../scripts/packageReport.ts';
import { packageFileName, PLATFORMS, platformPackages, targetOf } from '../../../scripts/targets.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PREBUILDS = join(ROOT, 'node_modules', 'better-sqlite3', 'prebuilds');
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version: string } | undefined>;
};

describe('the targets of a package', () => {
  it('are this computer’s unless another one is named', () => {
    const { platform, gpu } = targetOf(undefined, undefined);
    assert.deepEqual([platform, gpu], [`${process.platform}-${process.arch}`, null]);
    assert.deepEqual(targetOf('win32-x64', 'vulkan'), { platform: 'win32-x64', gpu: 'vulkan' });
    assert.throws(() => targetOf('amiga', undefined), /choose --target linux-x64, linux-arm64, /);
    assert.throws(
      () => targetOf('linux-x64', 'metal'),
      /no runtime "metal" for linux-x64; there are cuda and vulkan/,
    );
    assert.throws(() => targetOf('darwin-arm64', 'cuda'), /there is none beside the plain one/);
  });

  it('have file names of their own', () => {
    assert.equal(packageFileName(targetOf('linux-x64', undefined)), 'hone-linux-x64.vsix');
    assert.equal(packageFileName(targetOf('linux-x64', 'cuda')), 'hone-linux-x64-cuda.vsix');
  });

  it('name packages that the lock file pins at the version of their importer', () => {
    for (const [platform, { gpu }] of Object.entries(PLATFORMS)) {
      for (const variant of [undefined, ...Object.keys(gpu)]) {
        for (const name of platformPackages(targetOf(platform, variant))) {
          const importer = name.startsWith('@koromix/') ? 'koffi' : 'node-llama-cpp';
          const { version } = lock.packages[`node_modules/${importer}`]!;
          assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name);
        }
      }
    }
  });
});

describe('a native binary', () => {
  it('tells its format and processor, for every platform', () => {
    for (const { sqlite, binaries } of Object.values(PLATFORMS)) {
      const head = readFileSync(join(PREBUILDS, `${sqlite}.node`)).subarray(0, HEAD_BYTES);
      assert.equal(binaryKind(head), binaries, sqlite);
    }
  });

  it('is no text and no model', () => {
    assert.equal(binaryKind(readFileSync(join(ROOT, 'package.json')).subarray(0, HEAD_BYTES)), null);
    assert.equal(binaryKind(Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(HEAD_BYTES)])), null);
    assert.equal(binaryKind(Buffer.from('MZ')), null);
  });
});

describe('what lies in a package', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hone-parts-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const target = targetOf('linux-arm64', undefined);

  /** Each file with the binary of a platform. */
  function put(files: Record<string, string>): string[] {
    for (const [file, sqlite] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(PREBUILDS, `${sqlite}.node`), join(folder, file));
    }
    return Object.keys(files);
  }

  const whole = {
    'dist/node_modules/better-sqlite3/prebuilds/linux-arm64.node': 'linux-arm64',
    'dist/node_modules/@koromix/koffi-linux-arm64/linux_arm64/koffi.node': 'linux-arm64',
    'dist/node_modules/@node-llama-cpp/linux-arm64/bins/linux-arm64/llama-addon.node': 'linux-arm64',
  };

  it('is as it should be, and is counted by package', () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    const parts = partsOf(folder, [...put(whole), 'package.json']);
    assert.deepEqual(packageFaults(target, parts), []);
    assert.deepEqual(parts.map(({ name, files, binaries }) => [name, files, binaries]).toSorted(), [
      ['@koromix/koffi-linux-arm64', 1, ['elf-arm64']],
      ['@node-llama-cpp/linux-arm64', 1, ['elf-arm64']],
      ['better-sqlite3', 1, ['elf-arm64']],
      ['hone', 1, []],
    ]);
  });

  it('lacks a binary', () => {
    const { 'dist/node_modules/better-sqlite3/prebuilds/linux-arm64.node': _, ...rest } = whole;
    assert.deepEqual(packageFaults(target, partsOf(folder, put(rest))), ['better-sqlite3 has no binary']);
  });

  it('has a binary of another processor, or a runtime of another target', () => {
    const wrong = put({
      ...whole,
      'dist/node_modules/better-sqlite3/prebuilds/linux-arm64.node': 'linux-x64',
    });
    assert.deepEqual(packageFaults(target, partsOf(folder, wrong)), ['better-sqlite3 has elf-x64 binaries']);
    const more = put({ ...whole, 'dist/node_modules/@node-llama-cpp/linux-armv7l/a.node': 'linux-arm64' });
    assert.deepEqual(packageFaults(target, partsOf(folder, more)), [
      '@node-llama-cpp/linux-armv7l is of another target',
    ]);
  });
});

describe('a package that is fetched for another platform', () => {
  it('has to have the checksum of the lock file', () => {
    const content = Buffer.from('an archive');
    const sha512 = createHash('sha512').update(content).digest('base64');
    checkIntegrity('a 1.0.0', content, `sha512-${sha512}`);
    assert.throws(
      () => checkIntegrity('a 1.0.0', Buffer.from('another'), `sha512-${sha512}`),
      /a 1\.0\.0 is not what package-lock\.json pins: sha512-\S+ in the place of sha512-/,
    );
  });

  it('is the installed one where that is the right one, and is refused where the lock file has no checksum', () => {
    assert.equal(lockedPackage(ROOT, 'koffi'), join(ROOT, 'node_modules', 'koffi'));
    const root = mkdtempSync(join(tmpdir(), 'hone-lock-'));
    const packages = { 'node_modules/p': { version: '1.2.3' } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    assert.throws(() => lockedPackage(root, 'p'), /no checksum of p 1\.2\.3/);
    assert.throws(() => lockedPackage(root, 'q'), /doesn't have q/);
    rmSync(root, { recursive: true });
  });
});

/** Packages of other platforms, which npm doesn't install here: fetched as package-lock.json pins them. */
import { execFileSync } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  version: string;
  integrity?: string;
}

/**
 * Folder of a package at the version of the lock file: the installed one, else one that is fetched into the cache.
 *
 * @throws Error when the lock file has no checksum of it, or what was fetched has another
 */
export function lockedPackage(root: string, name: string): string {
  const entry = lockEntry(root, name);
  const installed = join(root, 'node_modules', name);
  if (versionIn(installed) === entry.version) return installed;
  const cached = join(root, '.cache', 'packages', `${name.replace('/', '+')}-${entry.version}`);
  if (!existsSync(cached)) fetchPackage(name, entry, cached);
  return join(cached, 'package');
}

/** @throws Error naming both checksums */
export function checkIntegrity(name: string, content: Buffer, integrity: string): void {
  const [algorithm, expected] = integrity.split(/-(.*)/s) as [string, string];
  const found = createHash(algorithm).update(content).digest();
  const wanted = Buffer.from(expected, 'base64');
  if (found.length === wanted.length && timingSafeEqual(found, wanted)) return;
  throw new Error(
    `${name} is not what package-lock.json pins: ${algorithm}-${found.toString('base64')} in the place of ${integrity}.`,
  );
}

function lockEntry(root: string, name: string): LockEntry {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry | undefined>;
  };
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined) throw new Error(`package-lock.json doesn't have ${name}.`);
  return entry;
}

function versionIn(folder: string): string | null {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return null;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** npm only brings the archive; that it is the right one is decided here, before anything of it is unpacked. */
function fetchPackage(name: string, { version, integrity }: LockEntry, cached: string): void {
  if (integrity === undefined)
    throw new Error(
      `package-lock.json has no checksum of ${name} ${version}: the registry that it was made with doesn't have it. Run "npm install" with one that does, and build again.`,
    );
  mkdirSync(join(cached, '..'), { recursive: true });
  const draft = mkdtempSync(`${cached}-`);
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    execFileSync(npm, ['pack', `${name}@${version}`, '--silent', '--pack-destination', draft], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    const archive = join(draft, readdirSync(draft)[0]!);
    checkIntegrity(`${name} ${version}`, readFileSync(archive), integrity);
    execFileSync('tar', ['-xzf', archive, '-C', draft]);
    rmSync(archive);
    renameSync(draft, cached);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { NODE, ROOT } from './paths.ts';

const INSTALLED_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const DOWNLOAD_LIMIT_MS = 180_000;
const APT_LIMIT_MS = 600_000;
const VERSION_LIMIT_MS = 30_000;

/**
 * Path of a Chromium: an installed one, else playwright's own download, else (as root, on Debian or Ubuntu)
 * the distribution's package. Throws with what to install when there is none: the tests never skip.
 */
export function findBrowser(): string {
  const failures: string[] = [];
  const found = process.env.HONE_TEST_BROWSER ?? installed() ?? downloaded(failures) ?? packaged(failures);
  if (found !== undefined) return found;
  throw new Error(
    `The end-to-end tests need Chromium or Chrome. Install one (Debian: apt-get install chromium), or name its ` +
      `path in HONE_TEST_BROWSER.\n${failures.join('\n')}`,
  );
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return INSTALLED_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(starts);
}

function downloaded(failures: string[]): string | undefined {
  const path = chromium.executablePath();
  if (starts(path)) return path;
  console.log('      No Chromium installed: trying the download of playwright …');
  const cli = join(ROOT, 'node_modules', 'playwright-core', 'cli.js');
  attempt(failures, NODE, [cli, 'install', 'chromium'], DOWNLOAD_LIMIT_MS);
  if (!existsSync(path)) return undefined;
  if (!starts(path) && isRoot()) attempt(failures, NODE, [cli, 'install-deps', 'chromium'], APT_LIMIT_MS);
  return starts(path) ? path : undefined;
}

function packaged(failures: string[]): string | undefined {
  if (!isRoot() || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('      Installing Chromium from the distribution …');
  attempt(failures, 'apt-get', ['update', '-qq'], APT_LIMIT_MS);
  attempt(failures, 'apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], APT_LIMIT_MS);
  return installed();
}

/** A file of that name can be a stand-in that only says what to install, or lack its libraries. */
function starts(path: string): boolean {
  if (!existsSync(path)) return false;
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: VERSION_LIMIT_MS }).status === 0;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function attempt(failures: string[], command: string, args: string[], limitMs: number): void {
  try {
    execFileSync(command, args, {
      stdio: 'pipe',
      timeout: limitMs,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    const reason = stderr?.toString().trim().split('\n').slice(-3).join(' ') ?? (error as Error).message;
    failures.push(`${command} ${args.join(' ')}: ${reason}`);
  }
}

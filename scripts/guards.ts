/**
 * Takes out each guard of test/guards.ts and runs its test, which must fail; with the guard in place it must pass.
 * The files are changed in place and put back; it refuses to begin where one has a change that is not committed.
 * Prints the table of docs/known-faults.md.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUARDED_FAULTS, type GuardedFault } from '../test/guards.ts';

const ROOT = join(import.meta.dirname, '..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

const only = process.argv[2];
const faults = GUARDED_FAULTS.filter(({ kind }) => only === undefined || kind.includes(only));
const changed = execFileSync('git', ['status', '--porcelain', ...new Set(faults.map(({ file }) => file))], {
  cwd: ROOT,
  encoding: 'utf8',
});
if (changed !== '') throw new Error(`Commit these first, they are changed for a moment:\n${changed}`);

let failures = 0;
for (const fault of faults) {
  const verdict = judge(fault);
  if (verdict !== 'fails without its guard') failures++;
  console.log(`| ${fault.kind} | ${fault.test}: ${fault.name} | ${fault.file} | ${verdict} |`);
}
console.log(`${faults.length - failures} of ${faults.length} tests fail without their guard.`);
process.exitCode = failures === 0 ? 0 : 1;

function judge(fault: GuardedFault): string {
  const path = join(ROOT, fault.file);
  const text = readFileSync(path, 'utf8');
  if (text.split(fault.guard).length !== 2) return 'GUARD NOT FOUND';
  if (!passes(fault)) return 'FAILS WITH ITS GUARD';
  try {
    writeFileSync(
      path,
      text.replace(fault.guard, () => fault.by),
    );
    return passes(fault) ? 'PASSES WITHOUT ITS GUARD' : 'fails without its guard';
  } finally {
    writeFileSync(path, text);
  }
}

function passes({ test, name }: GuardedFault): boolean {
  const { status, stdout } = spawnSync(process.execPath, [MOCHA, '--fgrep', name, test], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 && !/^\s*0 passing/m.test(stdout);
}

/**
 * What `npm test` runs: checks, build and every test of the repository, with one line of totals at the end. A
 * step that fails doesn't keep the later ones from running, unless they need what it makes.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const TOOLS = {
  tsc: 'node_modules/typescript/bin/tsc',
  eslint: 'node_modules/eslint/bin/eslint.js',
  prettier: 'node_modules/prettier/bin/prettier.cjs',
  mocha: 'node_modules/mocha/bin/mocha.js',
};
/** More than any step takes; a failed test can leave something open that never ends. */
const STEP_LIMIT_MS = 20 * 60_000;

interface Step {
  name: string;
  args: string[];
  /** Its closing lines tell how many tests passed and failed. */
  mocha?: boolean;
  /** It runs on one thread, and from the beginning, beside those before it; what it printed is shown in its place. */
  beside?: boolean;
  /** Name of the step whose result it needs. */
  needs?: string;
}

const STEPS: Step[] = [
  { name: 'typecheck', args: [TOOLS.tsc, '--noEmit'] },
  { name: 'typecheck of the dashboard', args: [TOOLS.tsc, '--noEmit', '-p', 'webview-ui'] },
  { name: 'lint', args: [TOOLS.eslint, '.'] },
  { name: 'format', args: [TOOLS.prettier, '--check', '.'] },
  { name: 'build', args: ['esbuild.mjs'] },
  mocha('unit and property', 'test/unit/**/*.test.ts', 'test/property/**/*.test.ts'),
  { ...mocha('service', 'test/service/**/*.test.ts'), needs: 'build' },
  { ...mocha('native', 'test/native/**/*.test.ts'), beside: true },
  { name: 'package', args: ['scripts/package.ts'], needs: 'build' },
  { ...mocha('end to end', 'test/e2e/**/*.test.ts'), needs: 'package' },
  // The last, because it may install a driver, with which others would find another back end than before.
  mocha('graphics device', 'test/gpu/**/*.test.ts'),
];

interface Result {
  ok: boolean;
  passed: number;
  failed: number;
  seconds: number;
}

const results = new Map<string, Result>();
const early = new Map(STEPS.filter((step) => step.beside).map((step) => [step, run(step.args, false)]));
for (const step of STEPS) results.set(step.name, await runStep(step));

console.log('\nSummary');
for (const [name, { ok, passed, failed, seconds }] of results) {
  const counts = passed + failed > 0 ? `${passed} passed, ${failed} failed` : '';
  console.log(
    `  ${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(20)} ${seconds.toFixed(0).padStart(4)} s  ${counts}`,
  );
}
const passed = sum((result) => result.passed);
const failed = sum((result) => result.failed);
process.exitCode = failed > 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed`);

function mocha(name: string, ...globs: string[]): Step {
  return { name, args: [TOOLS.mocha, ...globs], mocha: true };
}

/** A step that isn't mocha's, or a mocha that ends without its totals, counts as one failure when it fails. */
async function runStep(step: Step): Promise<Result> {
  console.log(`\n── ${step.name} ──`);
  if (step.needs !== undefined && results.get(step.needs)?.ok !== true) {
    console.log(`Not run: ${step.needs} failed.`);
    return { ok: false, passed: 0, failed: 1, seconds: 0 };
  }
  const { code, output, seconds } = await (early.get(step) ?? run(step.args, true));
  if (early.has(step)) process.stdout.write(output);
  const passed = step.mocha ? lastCount(output, 'passing') : 0;
  const failed = step.mocha ? lastCount(output, 'failing') : 0;
  const ok = code === 0 && failed === 0 && (!step.mocha || passed > 0);
  return { ok, passed, failed: ok ? 0 : Math.max(failed, 1), seconds };
}

interface Ended {
  code: number | null;
  output: string;
  seconds: number;
}

/** Runs this Node with `args` in the repository; what it prints is returned, and shown as it comes where that is told. */
async function run(args: string[], shown: boolean): Promise<Ended> {
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', shown ? 'inherit' : 'pipe'],
    timeout: STEP_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (shown) process.stdout.write(text);
    });
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('exit', (ended, signal) => {
      if (signal === null) return;
      const said = `Ended by ${signal}; a step may take ${STEP_LIMIT_MS / 60_000} minutes.\n`;
      output += said;
      if (shown) process.stdout.write(said);
      // What it has started may hold the pipe open for ever.
      resolve(ended);
    });
  });
  return { code, output, seconds: (performance.now() - start) / 1000 };
}

function lastCount(output: string, word: string): number {
  const found = [...stripVTControlCharacters(output).matchAll(new RegExp(`^ {2}(\\d+) ${word}\\b`, 'gm'))].at(
    -1,
  );
  return Number(found?.[1] ?? 0);
}

function sum(figure: (result: Result) => number): number {
  return [...results.values()].reduce((total, result) => total + figure(result), 0);
}

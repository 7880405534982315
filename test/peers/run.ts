/** `npm run test:peers`: programs in other languages, as they are published, against this repository's own services. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { prepareJudgeRun } from '../fixtures/judgeRun.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const ROOT = join(import.meta.dirname, '../..');
const VENV = join(ROOT, '.cache/peers');
const PYTHON = join(VENV, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const TOKEN = 'a-token-for-peers';

const run = (command: string, args: string[]) => execFileSync(command, args, { stdio: 'inherit' });

run('python3', ['-m', 'venv', VENV]);
run(PYTHON, [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--requirement',
  join(import.meta.dirname, 'requirements.txt'),
]);

const folder = temporaryFolder();
const modelPath = join(folder, 'tiny.gguf');
writeTinyModel(modelPath);
const args = ['--data-dir', join(folder, 'data'), '--model', modelPath, '--gpu', 'cpu', '--threads', '1'];
const companion = await CompanionProcess.start([
  ...args,
  '--no-train',
  '--token',
  TOKEN,
  '--log-level',
  'error',
]);
try {
  run(PYTHON, [join(import.meta.dirname, 'openaiSdk.py'), `${companion.ready.inference}/v1`, TOKEN]);
  const judged = prepareJudgeRun(folder, 'judged', { reward: { judge: 'similarity' } });
  await judged.run();
  run(PYTHON, [join(import.meta.dirname, 'readCurves.py'), judged.outputDir]);
} finally {
  await companion.kill('SIGTERM');
  rmSync(folder, { recursive: true });
}

/**
 * `npm run test:electron`: the smoke suite in a real VS Code, on a machine that can download one. It needs the
 * package that `npm run package` writes. The suite itself also runs in the end-to-end tests' workbench.
 */
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
  runTests,
} from '@vscode/test-electron';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTALS } from './totals.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const vsix = join(ROOT, `hone-${process.platform}-${process.arch}.vsix`);
if (!existsSync(vsix)) throw new Error(`${vsix} is missing: run "npm run package" first.`);

const folder = mkdtempSync(join(tmpdir(), 'hone-electron-'));
const workspace = mkdtempSync(join(folder, 'workspace-'));
writeFileSync(join(workspace, 'totals.js'), TOTALS);
const folders = [
  `--user-data-dir=${join(folder, 'user-data')}`,
  `--extensions-dir=${join(folder, 'extensions')}`,
];
const vscodeExecutablePath = await downloadAndUnzipVSCode({ cachePath: join(ROOT, '.cache', 'vscode') });
const [command, ...args] = resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath);
if (command === undefined) throw new Error('VS Code has no command line.');
const installed = spawnSync(command, [...args, ...folders, '--install-extension', vsix], {
  stdio: 'inherit',
});
if (installed.status !== 0) throw new Error(`${vsix} could not be installed.`);

process.exitCode = await runTests({
  vscodeExecutablePath,
  extensionDevelopmentPath: join(import.meta.dirname, 'runner'),
  extensionTestsPath: join(import.meta.dirname, 'runner', 'suite.cjs'),
  launchArgs: [workspace, ...folders, '--disable-workspace-trust'],
});

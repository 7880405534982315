import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from './paths.ts';
import { refuseProposedApi } from './strict.ts';

const run = promisify(execFile);

const CODE_SERVER_VERSION = '4.139.1';
/** Not needed by any test, half of the disk space. */
const DISPENSABLE = [
  'lib/vscode/node_modules/@github',
  'lib/vscode/node_modules/@microsoft/mxc-sdk',
  'lib/vscode/extensions/copilot',
  'lib/vscode/extensions/mermaid-markdown-features',
];
const NPM_INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * A code-server that refuses proposed API as a stable VS Code does, installed from the npm registry at first
 * use (about a minute) and kept. Returns the folder of the package; its entry is out/node/entry.js.
 */
export async function ensureCodeServer(): Promise<string> {
  const folder = join(CACHE, `code-server-${CODE_SERVER_VERSION}-strict`);
  const packageFolder = join(folder, 'node_modules', 'code-server');
  if (existsSync(folder)) return packageFolder;
  const building = `${folder}.building-${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  writeFileSync(join(building, 'package.json'), '{"private":true}');
  await npm(building, [`code-server@${CODE_SERVER_VERSION}`]);
  const built = join(building, 'node_modules', 'code-server');
  await npm(join(built, 'lib', 'vscode'), ['--omit=dev']);
  await npm(join(built, 'lib', 'vscode', 'extensions'), ['--omit=dev']);
  for (const path of DISPENSABLE) rmSync(join(built, path), { recursive: true, force: true });
  refuseProposedApi(join(built, 'lib', 'vscode'));
  renameSync(building, folder);
  return packageFolder;
}

async function npm(cwd: string, args: string[]): Promise<void> {
  try {
    await run('npm', [...NPM_INSTALL, ...args], { cwd, maxBuffer: 16 * 2 ** 20, env: cleanEnvironment() });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(
      `code-server ${CODE_SERVER_VERSION} could not be installed from the npm registry.\n${stderr ?? ''}`,
      {
        cause: error,
      },
    );
  }
}

/** Without what an outer npm says of its own run, its folder and configuration above all. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(package|lifecycle|command|execpath|node_execpath|config_local_prefix|config_omit|config_global_prefix|config_prefix)/i.test(
        name,
      ),
  );
  return Object.fromEntries(kept);
}

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureCodeServer } from './codeServer.ts';
import { freePort } from '../../fixtures/freePort.ts';
import { NODE } from './paths.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

/** What keeps the page still, so that nothing but the extension under test reacts to typing. */
const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  'editor.hover.enabled': 'off',
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'keep',
  'editor.acceptSuggestionOnEnter': 'off',
  'editor.tabCompletion': 'off',
  'editor.minimap.enabled': false,
  'editor.inlineSuggest.enabled': true,
  'files.autoSave': 'off',
  'window.confirmBeforeClose': 'never',
  'javascript.validate.enable': false,
  'typescript.validate.enable': false,
  'typescript.tsserver.web.typeAcquisition.enabled': false,
};

export interface WorkbenchServer {
  port: number;
  /** Folder of everything that the server and its extensions write: user data, extensions, logs, home. */
  folder: string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** An empty folder for user data, extensions, logs and home. */
  folder: string;
  /** Packages to install, in order. */
  vsix?: string[];
  settings?: Record<string, unknown>;
  /** Leave workspaces untrusted until the user says otherwise. */
  untrusted?: boolean;
  environment?: Record<string, string>;
  /** Options of the editor's own server, without dashes. */
  vscodeOptions?: string[];
}

/** Starts a workbench of its own on a free port of the loopback address, with the packages installed. */
export async function startServer(options: ServerOptions): Promise<WorkbenchServer> {
  const entry = join(await ensureCodeServer(), 'out', 'node', 'entry.js');
  const userData = join(options.folder, 'user-data');
  const extensions = join(options.folder, 'extensions');
  mkdirSync(join(userData, 'User'), { recursive: true });
  mkdirSync(extensions, { recursive: true });
  const trust = options.untrusted
    ? { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' }
    : {};
  const settings = { ...QUIET_SETTINGS, ...trust, ...options.settings };
  writeFileSync(join(userData, 'User', 'settings.json'), JSON.stringify(settings, null, 2));

  const environment = serverEnvironment(options);
  const folders = ['--user-data-dir', userData, '--extensions-dir', extensions];
  for (const vsix of options.vsix ?? []) await installVsix(options, vsix);

  const port = await freePort();
  const logPath = join(options.folder, 'server.log');
  const log = openSync(logPath, 'a');
  const flags = [
    '--auth',
    'none',
    '--bind-addr',
    `127.0.0.1:${port}`,
    '--disable-telemetry',
    '--disable-update-check',
  ];
  flags.push('--disable-getting-started-override', ...folders);
  for (const option of options.vscodeOptions ?? []) flags.push('--vscode-option', option);
  if (!options.untrusted) flags.push('--disable-workspace-trust');
  const child = spawn(NODE, [entry, ...flags], { env: environment, stdio: ['ignore', log, log] });
  await answers(port, child, logPath);
  return { port, folder: options.folder, stop: () => stop(child) };
}

/** Installs a package as the editor does, which unpacks it; returns the folder of the installed extensions. */
export async function installVsix(options: Pick<ServerOptions, 'folder'>, vsix: string): Promise<string> {
  const entry = join(await ensureCodeServer(), 'out', 'node', 'entry.js');
  const extensions = join(options.folder, 'extensions');
  const folders = ['--user-data-dir', join(options.folder, 'user-data'), '--extensions-dir', extensions];
  await run(NODE, [entry, ...folders, '--install-extension', vsix], { env: serverEnvironment(options) });
  return extensions;
}

function serverEnvironment(options: ServerOptions): NodeJS.ProcessEnv {
  const home = join(options.folder, 'home');
  mkdirSync(home, { recursive: true });
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VSCODE_|NODE_OPTIONS)/i.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    EXTENSIONS_GALLERY: '{}',
    ...options.environment,
  };
}

async function answers(port: number, child: ChildProcess, logPath: string): Promise<void> {
  const end = Date.now() + START_LIMIT_MS;
  while (Date.now() < end && child.exitCode === null) {
    const ready = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`code-server did not start.\n${readFileSync(logPath, 'utf8').slice(-4000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}

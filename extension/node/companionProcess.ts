import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { serveReadySchema, type ServeReady } from '../common/contracts/completion.ts';
import { FEEDBACK_TOKEN_VARIABLE, TOKEN_VARIABLE } from '../common/companion.ts';
import { parseJson } from './json.ts';
import { tailOf } from './logTail.ts';
import type { Tokens } from './tokens.ts';

const LOG_MAX_BYTES = 4 * 1024 * 1024;
const READY_TIMEOUT_MS = 120_000;
/** Windows tells a crash by a larger one. */
const EXIT_CODE_MAX = 255;

interface CompanionCommand {
  /** The editor's own runtime, or a Node. */
  runtime: string;
  script: string;
  args: string[];
  tokens: Tokens;
  /** Standard error goes here: the process outlives the window that started it. */
  logPath: string;
}

/** A companion that ended before it was ready. */
export class CompanionStartError extends Error {
  /** Code of its last error, as in docs/errors.md; null: it left none. */
  readonly code: string | null;
  /** It was ended from outside or by a native assertion, and had no last word. */
  readonly crashed: boolean;

  constructor(message: string, code: string | null, crashed: boolean) {
    super(message);
    this.name = 'CompanionStartError';
    this.code = code;
    this.crashed = crashed;
  }
}

interface StartedCompanion {
  process: ChildProcess;
  ready: ServeReady;
}

/**
 * Starts a companion and resolves with what it says when it is ready.
 *
 * Electron runs a script as Node when `ELECTRON_RUN_AS_NODE` is set; a Node (the extension host of a remote
 * machine) ignores the variable. The process is detached: it belongs to every window, not to this one.
 *
 * @throws CompanionStartError with the last lines of its log when it ends before it is ready.
 */
export async function startCompanion(command: CompanionCommand): Promise<StartedCompanion> {
  await mkdir(dirname(command.logPath), { recursive: true, mode: 0o700 });
  await rotate(command.logPath);
  const log = await open(command.logPath, 'a', 0o600);
  try {
    const { size: earlier } = await log.stat();
    const child = spawn(command.runtime, [command.script, ...command.args], {
      detached: true,
      stdio: ['ignore', 'pipe', log.fd],
      windowsHide: true,
      env: {
        ...runtimeEnvironment(),
        [TOKEN_VARIABLE]: command.tokens.inference,
        [FEEDBACK_TOKEN_VARIABLE]: command.tokens.feedback,
      },
    });
    child.unref();
    const tail = () => tailOf(command.logPath, earlier);
    return { process: child, ready: await readyLine(child, tail) };
  } finally {
    await log.close();
  }
}

/**
 * Environment in which the editor's runtime runs a script as Node. The editor's own variables would make the child
 * part of the editor (its IPC channel, its inspector).
 */
export function runtimeEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|NODE_CHANNEL_)/.test(name),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: '1' };
}

function readyLine(child: ChildProcess, tail: () => Promise<string>): Promise<ServeReady> {
  const stdout = child.stdout!;
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`was not ready after ${READY_TIMEOUT_MS / 1000} s`);
    }, READY_TIMEOUT_MS);
    child.once('error', (error) => fail(`can't be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      fail(
        `ended before it was ready (${signal ?? `exit code ${code}`})`,
        signal !== null || code! > EXIT_CODE_MAX,
      ),
    );
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0) return;
      const parsed = serveReadySchema.safeParse(parseJson(text.slice(0, end)));
      if (!parsed.success) return fail(`said something else than that it is ready`);
      clearTimeout(timer);
      // Nothing else comes; an open pipe would keep this window's event loop alive.
      stdout.destroy();
      resolve(parsed.data);
    });

    function fail(what: string, crashed = false): void {
      clearTimeout(timer);
      stdout.destroy();
      void tail().then((words) =>
        reject(
          new CompanionStartError(
            `The companion ${what}.${words === '' ? '' : ` ${words}`}`,
            /\[(\w+)\]$/.exec(words)?.[1] ?? null,
            crashed,
          ),
        ),
      );
    }
  });
}

async function rotate(logPath: string): Promise<void> {
  const size = await stat(logPath).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > LOG_MAX_BYTES) await rename(logPath, `${logPath}.1`);
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serveReadySchema } from '../../extension/common/contracts/index.ts';
import type { CompanionAddress } from './companion.ts';

/** How long the services get to load the model and to listen. */
const READY_TIMEOUT_MS = 120_000;
/** How long the services get to end by themselves. */
const STOP_TIMEOUT_MS = 15_000;
/** Services whose owner was killed end by themselves after this long without a request. */
const IDLE_SECONDS = 3600;
/** Lines of the log that an error message repeats. */
const LOG_TAIL_LINES = 15;

export interface ServiceOptions {
  dataDir: string;
  modelPath?: string | undefined;
  configPath?: string | undefined;
  gpu?: string | undefined;
  threads?: number | undefined;
  logLevel?: string | undefined;
  readyTimeoutMs?: number | undefined;
}

export interface RunningServices {
  address: CompanionAddress;
  model: string;
  pid: number;
  /** What the services wrote to their log so far. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts `hone serve` on free ports as a process of its own.
 *
 * @throws Error that repeats the end of the log when it doesn't come up, or not in time: it is ended then.
 */
export async function startServices(options: ServiceOptions): Promise<RunningServices> {
  const child = spawn(process.execPath, [honeEntry(), ...serveArguments(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A failure here must not leave them behind.
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const ready = await readyLine(child, log, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  return {
    address: {
      inference: ready.inference,
      feedback: ready.feedback,
      token: ready.token,
      feedbackToken: ready.feedbackToken ?? ready.token,
    },
    model: ready.model,
    pid: ready.pid,
    log: () => log.join('\n'),
    stop: () => stop(child),
  };
}

/** The companion's entry: the source beside this file, or the bundle that this file is part of. */
export function honeEntry(): string {
  const source = fileURLToPath(new URL('../main.ts', import.meta.url));
  return existsSync(source) ? source : fileURLToPath(new URL('./hone.js', import.meta.url));
}

function serveArguments(options: ServiceOptions): string[] {
  const { dataDir, modelPath, configPath, gpu, threads, logLevel } = options;
  return [
    'serve',
    ...['--data-dir', dataDir, '--inference-port', '0', '--feedback-port', '0'],
    ...['--exit-when-idle', String(IDLE_SECONDS)],
    ...(modelPath === undefined ? [] : ['--model', modelPath]),
    ...(configPath === undefined ? [] : ['--config', configPath]),
    ...(gpu === undefined ? [] : ['--gpu', gpu]),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...['--log-level', logLevel ?? 'info'],
  ];
}

async function readyLine(child: ChildProcess, log: string[], timeoutMs: number) {
  const lines = createInterface({ input: child.stdout! });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const exited = once(child, 'exit').then(([code]) => {
    const what = late
      ? `were not ready after ${timeoutMs / 1000} s and were ended`
      : `ended with code ${String(code)} before they were ready`;
    throw new Error(`The services ${what}.\n${log.slice(-LOG_TAIL_LINES).join('\n')}`);
  });
  exited.catch(() => {});
  try {
    const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
    return serveReadySchema.parse(JSON.parse(line));
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

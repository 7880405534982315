import { spawn } from 'node:child_process';
import { FEEDBACK_TOKEN_VARIABLE } from '../common/companion.ts';
import { runtimeEnvironment } from './companionProcess.ts';
import type { Paths } from './paths.ts';
import { installationTokens } from './tokens.ts';

interface HoneCommandOptions {
  /** A command that ends with 1 has printed what is asked for: it has found something. */
  findsProblems?: boolean;
}

/** What a process that has ended said. */
interface Ended {
  output: string;
  errors: string;
  /** Its exit code, or the signal that ended it. */
  end: number | NodeJS.Signals;
}

/**
 * Runs a command of the command line in a process of its own, with the editor's runtime, and returns what it printed.
 *
 * @throws an Error with what it said on standard error.
 */
export async function runHoneCommand(
  paths: Paths,
  args: string[],
  { findsProblems = false }: HoneCommandOptions = {},
): Promise<string> {
  // A companion that runs here wants its token.
  const { feedback } = await installationTokens(paths.tokens);
  const { output, errors, end } = await endOfHone(paths, args, {
    environment: { [FEEDBACK_TOKEN_VARIABLE]: feedback },
  });
  if (end === 0 || (findsProblems && end === 1 && output !== '')) return output;
  const said = errors.trim().replace(/^hone: /, '');
  throw new Error(said === '' ? `hone ${args[0]} ended without a word (${end}).` : said);
}

/**
 * Starts the command line with the editor's runtime, and resolves when it has ended, however it did.
 *
 * @param options.patienceMs after which it is killed; absent: never
 * @throws the system's error when it can't be started.
 */
export async function endOfHone(
  { runtime, companionScript }: Pick<Paths, 'runtime' | 'companionScript'>,
  args: string[],
  { environment = {}, patienceMs }: { environment?: NodeJS.ProcessEnv; patienceMs?: number } = {},
): Promise<Ended> {
  const child = spawn(runtime, [companionScript, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...runtimeEnvironment(), ...environment },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const end = await new Promise<Ended['end']>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code!));
  });
  return { output, errors, end };
}

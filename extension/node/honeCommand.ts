import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FEEDBACK_TOKEN_VARIABLE } from '../common/companion.ts';
import { runtimeEnvironment } from './companionProcess.ts';
import type { Paths } from './paths.ts';
import { installationTokens } from './tokens.ts';

/** An export has a line a row; only its manifest is printed. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface HoneCommandOptions {
  /** A command that ends with 1 has printed what is asked for: it has found something. */
  findsProblems?: boolean;
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
  const env = { ...runtimeEnvironment(), [FEEDBACK_TOKEN_VARIABLE]: feedback };
  const options = { env, windowsHide: true, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    const { stdout } = await promisify(execFile)(paths.runtime, [paths.companionScript, ...args], options);
    return stdout;
  } catch (error) {
    const { code, stdout = '', stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (findsProblems && code === 1 && stdout !== '') return stdout;
    const said = stderr?.trim() ?? '';
    throw said === '' ? error : new Error(said.replace(/^hone: /, ''), { cause: error });
  }
}

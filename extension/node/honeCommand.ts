import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runtimeEnvironment } from './companionProcess.ts';
import type { Paths } from './paths.ts';

/** An export has a line a row; only its manifest is printed. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Runs a command of the command line in a process of its own, with the editor's runtime, and returns what it printed.
 *
 * @throws an Error with what it said on standard error.
 */
export async function runHoneCommand(paths: Paths, args: string[]): Promise<string> {
  const options = { env: runtimeEnvironment(), windowsHide: true, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    const { stdout } = await promisify(execFile)(paths.runtime, [paths.companionScript, ...args], options);
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const said = stderr?.trim() ?? '';
    throw said === '' ? error : new Error(said.replace(/^hone: /, ''), { cause: error });
  }
}

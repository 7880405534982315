import { spawn } from 'node:child_process';
import { errorResponseSchema } from '../../common/contracts/completion.ts';
import { modelReportSchema, type ModelReport } from '../../common/contracts/model.ts';
import { runtimeEnvironment } from '../companionProcess.ts';
import { parseJson } from '../json.ts';
import type { Paths } from '../paths.ts';

const PATIENCE_MS = 120_000;

/** A model file that the companion would refuse. */
export class UnfitModelError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnfitModelError';
    this.code = code;
  }
}

/**
 * What the companion would make of a model file, from a process of its own: a file that brings llama.cpp down brings
 * nothing else down.
 *
 * @throws UnfitModelError with the companion's own words
 */
export async function inspectModel(
  { runtime, companionScript }: Pick<Paths, 'runtime' | 'companionScript'>,
  path: string,
): Promise<ModelReport> {
  const child = spawn(runtime, [companionScript, 'inspect', path, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: runtimeEnvironment(),
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const answer = parseJson(text);
  const report = modelReportSchema.safeParse(answer);
  if (report.success) return report.data;
  const refusal = errorResponseSchema.safeParse(answer);
  if (refusal.success) throw new UnfitModelError(refusal.data.error.code, refusal.data.error.message);
  throw new UnfitModelError(
    'model_corrupt',
    `llama.cpp did not survive the model file ${path} (${ended}): it is damaged, or of a kind that it doesn't know. Choose another.`,
  );
}

import { errorResponseSchema } from '../../common/contracts/completion.ts';
import { modelReportSchema, type ModelReport } from '../../common/contracts/model.ts';
import { endOfHone } from '../honeCommand.ts';
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
  paths: Pick<Paths, 'runtime' | 'companionScript'>,
  path: string,
): Promise<ModelReport> {
  const { output, end } = await endOfHone(paths, ['inspect', path, '--json'], { patienceMs: PATIENCE_MS });
  const answer = parseJson(output);
  const report = modelReportSchema.safeParse(answer);
  if (report.success) return report.data;
  const refusal = errorResponseSchema.safeParse(answer);
  if (refusal.success) throw new UnfitModelError(refusal.data.error.code, refusal.data.error.message);
  throw new UnfitModelError(
    'model_corrupt',
    `llama.cpp did not survive the model file ${path} (${typeof end === 'number' ? `code ${end}` : end}): it is damaged, or of a kind that it doesn't know. Choose another.`,
  );
}

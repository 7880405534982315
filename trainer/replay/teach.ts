import { PLACES_MAX, type RunSummary } from '../../extension/common/contracts/index.ts';
import { filePlaces } from '../../extension/common/places/filePlaces.ts';
import { shuffled } from '../../extension/common/random.ts';
import type { HttpCompanion } from './companion.ts';
import type { SourceFile } from './files.ts';
import { keyedRandom } from './random.ts';

/**
 * Teaches places of files that the developer works in, before anything is typed, and makes the updates, as `hone learn`
 * does in a workspace that is there already.
 *
 * @param count of places, as many of each file
 */
export async function teachFiles(
  companion: HttpCompanion,
  files: readonly SourceFile[],
  count: number,
  seed: number,
): Promise<RunSummary[]> {
  const each = Math.ceil(count / files.length);
  const places = files
    .flatMap(({ path, language, text }) => {
      const random = keyedRandom(seed, `teach ${path}`);
      return filePlaces(path, text, each, random).map((place) => ({ ...place, language }));
    })
    .slice(0, PLACES_MAX);
  await companion.teach({ v: 1, places: shuffled(places, keyedRandom(seed, 'teach')) });
  const runs: RunSummary[] = [];
  for (;;) {
    const { run } = await companion.step();
    if (run === null) return runs;
    runs.push(run);
  }
}

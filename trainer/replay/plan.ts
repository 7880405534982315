import type { SourceFile } from './files.ts';
import type { Habits } from './habits.ts';
import { codeLines, contentStart, pauseColumn } from '../../extension/common/places/codePlaces.ts';
import type { Position } from './positions.ts';
import { sampleInOrder } from '../../extension/common/random.ts';
import { keyedRandom } from './random.ts';

/** Of the pauses in a stretch of work, the share at which a suggestion is asked for when not all can be. */
const STRETCH_DENSITY = 0.4;

/**
 * Where the developer stops to look for a suggestion: at the start of a line's content, and for a share of the
 * lines once more inside it. When there are more such places than `count`, the developer works on one stretch of
 * each file and stops at two places in five there; longer files get more, by the square root of their places.
 *
 * @returns the places of each file, in the order of typing.
 */
export function planPauses(
  files: readonly SourceFile[],
  count: number,
  habits: Habits,
  seed: number,
): Map<string, Position[]> {
  const places = files.map((file) => pausesOf(file, habits, seed));
  const quotas = shareOut(
    count,
    places.map((here) => here.length),
  );
  return new Map(
    files.map((file, i) => [
      file.path,
      stretch(places[i]!, quotas[i]!, keyedRandom(seed, `plan ${file.path}`)),
    ]),
  );
}

function stretch(places: Position[], quota: number, random: ReturnType<typeof keyedRandom>): Position[] {
  const length = Math.min(places.length, Math.ceil(quota / STRETCH_DENSITY));
  const from = random.below(places.length - length + 1);
  return sampleInOrder(places.slice(from, from + length), quota, random);
}

/** `count` in parts that grow with the square root of the sizes, none larger than its size; sums up exactly. */
function shareOut(count: number, sizes: number[]): number[] {
  const quotas = sizes.map(() => 0);
  let left = Math.min(
    count,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  // The next place goes to the file that is furthest behind its share (Sainte-Laguë's divisors).
  for (; left > 0; left--) {
    const behind = sizes.map((size, i) =>
      quotas[i]! < size ? Math.sqrt(size) / (2 * quotas[i]! + 1) : Number.NEGATIVE_INFINITY,
    );
    quotas[behind.indexOf(Math.max(...behind))]!++;
  }
  return quotas;
}

function pausesOf(file: SourceFile, habits: Habits, seed: number): Position[] {
  const lines = file.text.split('\n');
  return codeLines(file.text).flatMap((line) => {
    const text = lines[line]!;
    const random = keyedRandom(seed, `pause ${file.path} ${line}`);
    const start = contentStart(text);
    const pause = random.chance(habits.pauseShare) ? pauseColumn(text, random) : undefined;
    const columns = pause === undefined ? [start] : [start, pause];
    return columns.map((column) => ({
      path: file.path,
      language: file.language,
      line,
      column,
      atStart: column === start,
    }));
  });
}

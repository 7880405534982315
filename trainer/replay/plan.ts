import type { SourceFile } from './files.ts';
import type { Habits } from './habits.ts';
import { codeLines, contentStart, pauseColumn, type Position } from './positions.ts';
import { keyedRandom, sampleInOrder } from './random.ts';

/**
 * Where the developer stops to look for a suggestion: at the start of a line's content, and for a share of the
 * lines once more inside it. Of all such places in all files, `count` are kept, spread evenly over the stream by
 * the seed; the others are typed without a pause.
 *
 * @returns the places of each file, in the order of typing; more than exist can't be asked for.
 */
export function planPauses(
  files: readonly SourceFile[],
  count: number,
  habits: Habits,
  seed: number,
): Map<string, Position[]> {
  const all = files.flatMap((file) => pausesOf(file, habits, seed));
  const chosen = sampleInOrder(all, count, keyedRandom(seed, 'plan'));
  return new Map(files.map((file) => [file.path, chosen.filter((position) => position.path === file.path)]));
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

import {
  codeLines,
  contentStart,
  pauseColumn,
  textAround,
} from '../../extension/common/places/codePlaces.ts';
import { sampleInOrder } from '../../extension/common/random.ts';
import type { SourceFile } from './files.ts';
import { keyedRandom } from './random.ts';

/** A place at which a completion is asked for. */
export interface Position {
  path: string;
  language: string;
  /** 0-based. */
  line: number;
  /** UTF-16 units of the line before the caret. */
  column: number;
  /** True: at the first character of the line's content. */
  atStart: boolean;
}

/**
 * Fixed positions for a before and after, the same for every adapter: spread over the file, half of them at the
 * first character of a line's content and half inside it.
 */
export function evaluationPositions(file: SourceFile, count: number, seed: number): Position[] {
  const random = keyedRandom(seed, `evaluate ${file.path}`);
  const lines = sampleInOrder(codeLines(file.text), count, random);
  return lines.flatMap((line, i) => {
    const atStart = i % 2 === 0;
    const text = file.text.split('\n')[line]!;
    const column = atStart ? contentStart(text) : pauseColumn(text, random);
    return column === undefined ? [] : [{ path: file.path, language: file.language, line, column, atStart }];
  });
}

/** What the developer has typed before the position and what stands below it, as one document. */
export function documentAt(file: SourceFile, { line, column }: Position): ReturnType<typeof textAround> {
  return textAround(file.text, line, column);
}

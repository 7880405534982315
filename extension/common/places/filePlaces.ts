import { promptWindow } from '../prompt/window.ts';
import { sampleInOrder, type Random } from '../random.ts';
import { codeLines, contentStart, LONGEST_LINE_CHARS, pauseColumn, textAround } from './codePlaces.ts';

/** Longer rests of a line are tables and data. */
const LONGEST_REST_CHARS = 160;

/** A place in a file, and what stands there. Texts have LF line ends. */
export interface FilePlace {
  path: string;
  /** UTF-16 offset of the place in the file. */
  offset: number;
  /** Before and after the place, as a prompt shows them. */
  prefix: string;
  suffix: string;
  /** From the place to the end of its line. */
  text: string;
}

/**
 * Places of a file at which a completion could be asked for, spread over it and in its order: half of them at the
 * first character of a line's content, half inside a line; none in a licence header, an import or a blank line.
 */
export function filePlaces(path: string, text: string, count: number, random: Random): FilePlace[] {
  const lines = text.split('\n');
  if (lines.some((line) => line.length > LONGEST_LINE_CHARS)) return [];
  return sampleInOrder(codeLines(text), count, random).flatMap((line) => {
    const column = random.chance(0.5) ? contentStart(lines[line]!) : pauseColumn(lines[line]!, random);
    if (column === undefined) return [];
    const around = textAround(text, line, column);
    if (around.rest === '' || around.rest.length > LONGEST_REST_CHARS) return [];
    const { prefix, suffix } = promptWindow(around.text, around.caret, path);
    return [{ path, offset: around.caret, prefix, suffix, text: around.rest }];
  });
}

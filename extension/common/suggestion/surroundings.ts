import { toLf } from '../outcome/offsets.ts';
import { READ_BEFORE_UNITS } from './partialWindow.ts';

/** The text around a caret, LF: a few thousand units on each side, see partialWindow.ts. */
export interface Surroundings {
  before: string;
  after: string;
  /** Rest of the caret's line. */
  lineSuffix: string;
  eol: '\n' | '\r\n';
  /** UTF-16 offset of the caret in the document as it is, and with LF line ends. */
  offset: number;
  lfOffset: number;
}

/** What an editor reads, in the document's own line ends. */
interface RawSurroundings {
  before: string;
  after: string;
  lineSuffix: string;
  crlf: boolean;
  /** Of the caret, as the document is. */
  offset: number;
  /** Number of the caret's line, from 0. */
  line: number;
}

/** The same with LF line ends: a model sees nothing else, so that a document is asked about alike whatever its own are. */
export function normalisedSurroundings(raw: RawSurroundings): Surroundings {
  const { crlf, offset, line, lineSuffix } = raw;
  return {
    before: toLf(raw.before),
    after: toLf(raw.after),
    lineSuffix,
    eol: crlf ? '\r\n' : '\n',
    offset,
    lfOffset: crlf ? offset - line : offset,
  };
}

/** How much on each side of the caret tells a place from others near it. */
const TELLING_UNITS = 600;

/**
 * What stands around the caret once a suggestion is accepted.
 *
 * @param text suggestion, LF
 * @param replaced units to the right of the caret, in its own line, that it takes the place of
 */
export function afterAccepting(around: Surroundings, text: string, replaced: number): Surroundings {
  const lineBreaks = text.split('\n').length - 1;
  return {
    before: (around.before + text).slice(-READ_BEFORE_UNITS),
    after: around.after.slice(replaced),
    lineSuffix: around.lineSuffix.slice(replaced),
    eol: around.eol,
    offset: around.offset + text.length + (around.eol === '\n' ? 0 : lineBreaks),
    lfOffset: around.lfOffset + text.length,
  };
}

/** Whether both are the same place of the same text, as far as the text is read. */
export function samePlace(one: Surroundings, other: Surroundings): boolean {
  return (
    one.offset === other.offset &&
    one.lfOffset === other.lfOffset &&
    one.before.slice(-TELLING_UNITS) === other.before.slice(-TELLING_UNITS) &&
    one.after.slice(0, TELLING_UNITS) === other.after.slice(0, TELLING_UNITS)
  );
}

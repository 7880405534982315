import { scanBrackets, type Scan } from './scan.ts';

/** What a filter may look at beside the generated text. All text has LF line ends. */
export interface FilterContext {
  /** Text before the caret; the last lines are enough. */
  prefix: string;
  /** Text after the caret; the next lines are enough. */
  suffix: string;
  /** UTF-16 offset of the prefix in the document. Absent: not known; 0: nothing stands before it. */
  start?: number;
  /** True: keep more than the first line. */
  multiline?: boolean;
  /** The text was ended by a limit on its length: its last line is half a line. */
  truncated?: boolean;
  /** Cuts a text of several lines where its syntax ends, where there is a parser. Cutting twice changes nothing. */
  syntacticEnd?: ((text: string) => string) | undefined;
}

/** The context taken apart once, for every filter. */
export interface FilterView {
  multiline: boolean;
  truncated: boolean;
  syntacticEnd: (text: string) => string;
  /** True when `prefix` begins with the document. */
  fromStart: boolean;
  prefix: string;
  /** Its brackets, and what the caret stands in, as far as it tells. */
  before: Scan;
  /** The caret's line, before and after the caret. */
  linePrefix: string;
  lineSuffix: string;
  /** Lines before and after the caret's own, nearest first. */
  linesAbove: string[];
  linesBelow: string[];
}

/** Changes the text, or returns it as it is. */
export type TrimFilter = (text: string, view: FilterView) => string;

/** True when the text must not be shown. */
export type HideFilter = (text: string, view: FilterView) => boolean;

/** A text of closing brackets, quotes and separators only. */
export const ONLY_CLOSERS = /^[\s)\]}>;,'"`]*$/;

/** The context by lines, as the filters look at it. */
export function filterView(context: FilterContext): FilterView {
  const above = context.prefix.split('\n');
  const after = context.suffix.split('\n');
  return {
    multiline: context.multiline ?? false,
    truncated: context.truncated ?? false,
    syntacticEnd: context.syntacticEnd ?? ((text) => text),
    fromStart: context.start === 0,
    prefix: context.prefix,
    before: scanBrackets(context.prefix),
    linePrefix: above.at(-1) ?? '',
    lineSuffix: after[0] ?? '',
    linesAbove: above.slice(0, -1).reverse(),
    linesBelow: after.slice(1),
  };
}

/** White space at the start of a line. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

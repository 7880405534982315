import { cutAtSyntax } from './end.ts';
import { placeOf } from './place.ts';
import type { Syntax } from './types.ts';

export const MULTILINE_SETTINGS = ['auto', 'never', 'always'] as const;
/**
 * `auto`: a block where a block is expected, asked for on the line below the one that opens it, else one line.
 * `always`: behind the opening bracket or colon too, and whole statements wherever one can go on.
 */
export type MultilineSetting = (typeof MULTILINE_SETTINGS)[number];

/** Two blank lines: what comes then is something else. */
const FAR_FROM_HERE = '\n\n\n';

/** How much is asked for at a caret, and where it ends. */
export interface Shape {
  multiline: boolean;
  /** Strings that end the generation. */
  stop: string[];
  /** Cuts a text of several lines where its syntax ends. */
  syntacticEnd?: (text: string) => string;
}

const ONE_LINE: Shape = { multiline: false, stop: ['\n'] };

/**
 * One line or several. Without a parser of the language it is one.
 *
 * @param before text before the caret, LF; `after` text after it
 */
export function shapeOf(
  before: string,
  after: string,
  setting: MultilineSetting,
  syntax: Syntax | undefined,
): Shape {
  if (setting === 'never' || syntax === undefined) return ONE_LINE;
  const place = placeOf(before, after, syntax);
  if (place === undefined) return ONE_LINE;
  const onOwnLine = before.slice(before.lastIndexOf('\n') + 1).trim() === '';
  if (setting === 'auto' && !(place.block && onOwnLine)) return ONE_LINE;
  const { block } = place;
  return {
    multiline: true,
    stop: block?.closed ? [FAR_FROM_HERE, `\n${block.indent}}`] : [FAR_FROM_HERE],
    syntacticEnd: (text) => cutAtSyntax(text, place, syntax),
  };
}

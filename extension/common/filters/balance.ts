import { closingOf, scanBrackets, type Scan, type ScanState } from './scan.ts';

/** How a text's brackets and quotes fit to what stands right of the caret in its line. */
export interface Balance {
  scan: Scan;
  /** Units of the line's rest, from the caret, that the text writes itself and replaces. */
  replaced: number;
  /** False: with that, a bracket that the text opens stays open or is closed by one that belongs to another. */
  fits: boolean;
}

/**
 * The text closes brackets that were opened before it (`closed`) and leaves brackets open (`open`). The rest of the
 * line must then close `open` and after that what it would have closed, less `closed`. What is too much at its
 * start is replaced by the text; what is not at its start can't be.
 *
 * @param state what the caret stands in
 * @param lineSuffix rest of the caret's line
 */
export function balanceOf(text: string, state: ScanState, lineSuffix: string): Balance {
  const scan = scanBrackets(text, state);
  const quote = closedQuote(text, state, lineSuffix);
  const rest = lineSuffix.slice(quote);
  const after = scanBrackets(rest).unopened.map(({ character }) => character);
  const closed = scan.unopened.length;
  const sameKind = scan.unopened.every(({ character }, i) => (after[i] ?? character) === character);
  const wanted = scan.open.map(({ character }) => closingOf(character)).reverse();
  const replaceable = sameKind ? Math.min(closed, leadingClosers(rest)) : 0;

  for (let count = 0; count <= replaceable; count++) {
    const left = after.slice(count);
    const right = [...wanted, ...after.slice(closed)];
    if (left.join('') === right.join('')) return { scan, replaced: quote + count, fits: true };
  }
  const replaced = quote + replaceable;
  return { scan, replaced, fits: wanted.length === 0 || isBare(lineSuffix.slice(replaced)) };
}

/** Closing brackets at the very start of the line's rest. */
export function leadingClosers(rest: string): number {
  return /^[)\]}]*/.exec(rest)![0].length;
}

/** 1 when the text ends the string that the caret stands in and the quote right of the caret would begin another. */
function closedQuote(text: string, state: ScanState, lineSuffix: string): number {
  if (state !== '"' && state !== "'" && state !== '`') return 0;
  if (lineSuffix[0] !== state) return 0;
  const quotes = text.replace(/\\./g, '').split(state).length - 1;
  return quotes % 2;
}

/** Nothing, or a comment at the end of the line. */
function isBare(rest: string): boolean {
  return /^\s*((\/\/|# ).*|\/\*.*\*\/\s*)?$/.test(rest);
}

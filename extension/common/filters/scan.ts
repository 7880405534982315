/**
 * Brackets of a piece of code, those in strings and comments left out. It knows the strings and comments that most
 * languages have in common and no language's grammar: for short pieces, where a parser has nothing to hold on to.
 */

interface Bracket {
  character: string;
  /** UTF-16 offset in the scanned text. */
  offset: number;
}

/** What a piece of text ends in: plain code, a comment to the end of the line or of the block, a string. */
export type ScanState = 'code' | 'lineComment' | 'blockComment' | '"' | "'" | '`' | '"""' | "'''";

export interface Scan {
  /** Opening brackets that the text does not close, outermost first. */
  open: Bracket[];
  /** Closing brackets whose opening one stands before the text, in order. */
  unopened: Bracket[];
  /** A closing bracket met another kind of opening one of the text: from there on nothing is certain. */
  mismatch: Bracket | undefined;
  state: ScanState;
}

const CLOSING_OF: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const CLOSING = new Set(Object.values(CLOSING_OF));
const QUOTES = new Set(['"', "'", '`']);

/** The closing bracket that belongs to an opening one. */
export function closingOf(opening: string): string {
  return CLOSING_OF[opening]!;
}

/** @param state what the text begins in */
export function scanBrackets(text: string, state: ScanState = 'code'): Scan {
  const scan: Scan = { open: [], unopened: [], mismatch: undefined, state: 'code' };
  let at = 0;
  let current = state;
  while (at < text.length) {
    if (current !== 'code') {
      at = endOf(current, text, at);
      if (at === -1) return { ...scan, state: current };
      current = 'code';
      continue;
    }
    const begun = beginningAt(text, at);
    if (begun === undefined) {
      count(scan, text[at]!, at);
      at++;
      continue;
    }
    current = begun;
    at += begun === 'lineComment' ? 1 : begun === 'blockComment' ? 2 : begun.length;
  }
  return { ...scan, state: current };
}

function count(scan: Scan, character: string, offset: number): void {
  if (character in CLOSING_OF) {
    scan.open.push({ character, offset });
    return;
  }
  if (!CLOSING.has(character)) return;
  const opening = scan.open.pop();
  if (opening === undefined) scan.unopened.push({ character, offset });
  else if (closingOf(opening.character) !== character) scan.mismatch ??= { character, offset };
}

/** The string or comment that begins here. A quote that has no partner in its line is an apostrophe. */
function beginningAt(text: string, at: number): ScanState | undefined {
  const character = text[at]!;
  if (character === '/' && text[at + 1] === '/') return 'lineComment';
  if (character === '/' && text[at + 1] === '*') return 'blockComment';
  if (character === '#' && /\s/.test(text[at + 1] ?? ' ') && /\s|^$/.test(text[at - 1] ?? ''))
    return 'lineComment';
  if (!QUOTES.has(character)) return undefined;
  const triple = character.repeat(3);
  if (character !== '`' && text.startsWith(triple, at)) return triple as ScanState;
  const closes = endOf(character as ScanState, text, at + 1) !== -1;
  const lastLine = !text.includes('\n', at);
  return closes || lastLine || character === '`' ? (character as ScanState) : undefined;
}

/** Offset behind the end of a string or comment, −1 when the text ends first. */
function endOf(state: ScanState, text: string, from: number): number {
  if (state === 'lineComment') return text.indexOf('\n', from);
  if (state === 'blockComment') return behind(text, '*/', from);
  if (state.length === 3) return behind(text, state, from);
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === state) return at + 1;
    else if (text[at] === '\n' && state !== '`') return -1;
  }
  return -1;
}

function behind(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? -1 : at + end.length;
}

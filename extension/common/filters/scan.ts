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
  /** Where the string or comment begins that the text ends in; undefined in code, and when it began before the text. */
  begun: number | undefined;
}

const CLOSING_OF: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const CLOSING = new Set(Object.values(CLOSING_OF));
const QUOTES = new Set(['"', "'", '`']);
/** Text in front of a quote that begins no string; a word of f, r, b and u is a string's prefix. */
const APOSTROPHE = /[\p{L}\p{N}_]$(?<!(?<![\p{L}\p{N}_])[fFrRbBuU]{1,2})/u;

/** The closing bracket that belongs to an opening one. */
export function closingOf(opening: string): string {
  return CLOSING_OF[opening]!;
}

/** @param state what the text begins in */
export function scanBrackets(text: string, state: ScanState = 'code'): Scan {
  const scan: Scan = { open: [], unopened: [], mismatch: undefined, state: 'code', begun: undefined };
  let at = 0;
  let current = state;
  while (at < text.length) {
    if (current !== 'code') {
      const end = endOf(current, text, at);
      // A string of one line that the next line begins without its end was an apostrophe, or is not finished.
      const broken = end === -1 && (current === '"' || current === "'") ? text.indexOf('\n', at) : -1;
      if (end === -1 && broken === -1) return { ...scan, state: current };
      at = Math.max(end, broken);
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
    scan.begun = at;
    at += begun === 'lineComment' ? 1 : begun === 'blockComment' ? 2 : begun.length;
  }
  return { ...scan, state: current, begun: current === 'code' ? undefined : scan.begun };
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

/** The string or comment that begins here. A quote without a partner in a line that is done is an apostrophe. */
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
  if (closes || character === '`') return character as ScanState;
  const lastLine = !text.includes('\n', at);
  return lastLine && !APOSTROPHE.test(text.slice(0, at)) ? (character as ScanState) : undefined;
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

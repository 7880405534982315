import { balanceOf, leadingClosers } from './balance.ts';
import { closingOf, scanBrackets } from './scan.ts';
import { indentOf, ONLY_CLOSERS, type FilterView } from './types.ts';

const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{', '>': '<' };
const QUOTES = new Set(["'", '"', '`']);
const SEPARATORS = new Set([';', ',', '/']);

/**
 * Closing brackets, quotes and separators at the end of the text that already stand right of the caret are
 * dropped: `f(|)` with `a, b)` becomes `a, b`. A bracket that the text opened itself, or a quote that it opened,
 * stays: `f(|)` with `g()` is whole. A text that closes more than stands there writes all of it itself.
 */
export function doubledClosers(text: string, view: FilterView): string {
  const right = /^([)\]}'"`;,]|\/?>)+/.exec(view.lineSuffix.trimStart())?.[0] ?? '';
  if (balanceOf(text, view.before.state, view.lineSuffix).scan.unopened.length > closers(right)) return text;
  for (let size = Math.min(right.length, text.length); size > 0; size--) {
    const tail = right.slice(0, size);
    if (!text.endsWith(tail)) continue;
    const rest = text.slice(0, text.length - size);
    if ([...tail].every((closer, i) => isUnmatched(closer, rest + tail.slice(0, i)))) return rest;
  }
  return text;
}

/**
 * Nothing is closed that nothing opened, or that is closed already further right or on the next line: the text ends
 * before such a bracket. Closing brackets right at the caret may be written anew, the text replaces them.
 */
export function strayClosers(text: string, view: FilterView): string {
  const { state } = view.before;
  const { scan, replaced } = balanceOf(text, state, view.lineSuffix);
  if (state !== 'code' && scan.state === state) return text;
  const before = openBefore(view);
  const reopened = scan.open
    .map(({ character }) => character)
    .slice(leadingClosers(view.lineSuffix.slice(replaced)));
  const allowed = closable(view, before, reopened);
  const replaceable = view.lineSuffix.slice(0, leadingClosers(view.lineSuffix));
  const stray = scan.unopened.find(({ character }, i) => {
    const opening = before.at(-1 - i);
    if (i >= allowed || (replaceable[i] ?? character) !== character) return true;
    return opening !== undefined && closingOf(opening.character) !== character;
  });
  const end = Math.min(stray?.offset ?? text.length, scan.mismatch?.offset ?? text.length);
  return text.slice(0, end);
}

/**
 * Where code or brackets stand right of the caret, the text leaves no bracket and no string open that they would not
 * close: it ends before it. `if (|)` with `ready(a) {` becomes `ready(a)`.
 */
export function openBeforeSuffix(text: string, view: FilterView): string {
  if (view.lineSuffix.trim() === '') return text;
  const { scan, fits } = balanceOf(text, view.before.state, view.lineSuffix);
  const { state, begun } = scan;
  const openString = begun !== undefined && QUOTES.has(state[0]!) && !view.lineSuffix.includes(state);
  const end = fits ? text.length : scan.open[0]!.offset;
  return text.slice(0, openString ? Math.min(end, begun) : end);
}

/** A closing bracket alone on its line, or one alone after code: the editor or one key does that. */
export function loneCloser(text: string, view: FilterView): boolean {
  if (!ONLY_CLOSERS.test(text)) return false;
  return view.linePrefix.trim() === '' || text.trim().length <= 1;
}

interface OpenBefore {
  character: string;
  /** Of the line that it stands in. */
  indent: string;
}

/** Brackets that are open at the caret, outermost first. */
function openBefore({ prefix, before }: FilterView): OpenBefore[] {
  return before.open.map(({ character, offset }) => ({
    character,
    indent: indentOf(prefix.slice(prefix.lastIndexOf('\n', offset) + 1)),
  }));
}

/**
 * How many of the brackets that are open at the caret the text may close. A text that opens one again, as `} else {`
 * does, leaves what stands below something to close.
 *
 * @param open brackets that are open at the caret, outermost first
 * @param reopened brackets that text and line leave open
 */
function closable(view: FilterView, open: OpenBefore[], reopened: string[]): number {
  const onLine = scanBrackets(view.lineSuffix).unopened.length;
  const leading = leadingClosers(view.lineSuffix);
  if (onLine > leading) return leading;
  const belowLine = open.slice(0, Math.max(0, open.length - onLine)).reverse();
  const closedBelow = belowLine.findIndex((opening) => isClosedBelow(opening, view));
  if (closedBelow === -1) return view.fromStart ? open.length : Number.POSITIVE_INFINITY;
  const alike = reopened.filter((character) => character === belowLine[closedBelow]!.character);
  return leading + closedBelow + alike.length;
}

/** Closed at the start of the first line below that is indented no further than the bracket's own. */
function isClosedBelow({ character, indent }: OpenBefore, view: FilterView): boolean {
  const below = view.linesBelow.find((line) => line.trim() !== '' && indentOf(line).length <= indent.length);
  if (below === undefined) return false;
  return indentOf(below) === indent && below.trimStart().startsWith(closingOf(character));
}

function closers(text: string): number {
  return text.replace(/[^)\]}]/g, '').length;
}

/** True when `closer` after `before` closes nothing that `before` opened. */
function isUnmatched(closer: string, before: string): boolean {
  if (SEPARATORS.has(closer)) return true;
  if (QUOTES.has(closer)) return before.split(closer).length % 2 === 1;
  const opener = PAIRS[closer];
  let open = 0;
  for (const char of before) {
    if (char === opener) open++;
    else if (char === closer && open > 0) open--;
  }
  return open === 0;
}

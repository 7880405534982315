import { doubledClosers, loneCloser, openBeforeSuffix, strayClosers } from './brackets.ts';
import { documentIndent, doubledSpace, lineEnds, trailingSpace } from './indentation.ts';
import { repeatedLines, repeatsLineAbove, repeatsLineBelow, singleLine, unfinishedLine } from './lines.ts';
import { emptyComment, emptyText, extremeRepetition, halfSurrogates, maskedSecret } from './noise.ts';
import { stopAtLineBelow, stopAtSuffix } from './suffix.ts';
import {
  filterView,
  type FilterContext,
  type FilterView,
  type HideFilter,
  type TrimFilter,
} from './types.ts';

/** Runs once, on what the model wrote. */
const rawFilters = { unfinishedLine } satisfies Record<string, TrimFilter>;

/** In this order: first what the text is, then what stands around it. The keys are the names in records. */
const trimFilters = {
  halfSurrogates,
  lineEnds,
  singleLine,
  syntacticEnd,
  doubledSpace,
  documentIndent,
  stopAtSuffix,
  stopAtLineBelow,
  repeatedLines,
  strayClosers,
  openBeforeSuffix,
  doubledClosers,
  trailingSpace,
} satisfies Record<string, TrimFilter>;

const hideFilters = {
  emptyText,
  maskedSecret,
  extremeRepetition,
  emptyComment,
  repeatsLineBelow,
  repeatsLineAbove,
  loneCloser,
} satisfies Record<string, HideFilter>;

/** Hides what will hardly be taken; see `extension/common/display`. Not of this list: it asks a predictor. */
export const DISPLAY_FILTER = 'unlikely';

export type FilterName = keyof typeof rawFilters | keyof typeof trimFilters | keyof typeof hideFilters;
/** In the order in which they run. */
export const FILTER_NAMES = Object.keys({ ...rawFilters, ...trimFilters, ...hideFilters }) as FilterName[];

/** What one filter did to a text. */
export interface FilterStep {
  filter: FilterName | typeof DISPLAY_FILTER;
  /** `cut`: the text ends earlier; `rewrote`: it is another one; `hid`: it isn't shown. */
  did: 'cut' | 'rewrote' | 'hid';
  /** UTF-16 units that the text lost by it; below 0: that it won. */
  lostChars: number;
}

export interface FilterResult {
  /** Text to show; empty when it is hidden. */
  text: string;
  /** Names of the filters that changed or hid the text, in the order in which they ran. */
  filters: (FilterName | typeof DISPLAY_FILTER)[];
  /** What each of them did. */
  steps: FilterStep[];
  /** The filter that hid it; absent when it is shown. */
  hiddenBy?: FilterName | typeof DISPLAY_FILTER;
  /** The model itself added nothing to the line: no filter took anything away. */
  silent: boolean;
}

/**
 * What is shown of a generated text. Applying it to its own result changes nothing.
 *
 * @param raw text as the model wrote it
 * @param off filters that are left out, to measure what they are worth
 */
export function applyFilters(
  raw: string,
  context: FilterContext,
  off: ReadonlySet<FilterName> = new Set(),
): FilterResult {
  const view = filterView(context);
  const steps: FilterStep[] = [];
  const begun = runOnce(entries<TrimFilter>(rawFilters, off), raw, view, steps);
  const text = runUntilStable(entries<TrimFilter>(trimFilters, off), begun, view, steps);
  const silent = isSilent(raw, view.multiline);
  const hiddenBy = entries<HideFilter>(hideFilters, off).find(([, hides]) => hides(text, view))?.[0];
  if (hiddenBy !== undefined) steps.push({ filter: hiddenBy, did: 'hid', lostChars: text.length });
  const filters = [...new Set(steps.map(({ filter }) => filter))];
  if (hiddenBy === undefined) return { text, filters, steps, silent };
  return { text: '', filters, steps, hiddenBy, silent };
}

/** The steps in words, for a log. */
export function describeSteps(steps: readonly FilterStep[]): string {
  if (steps.length === 0) return 'no filter';
  return steps.map(({ filter, did, lostChars }) => `${filter} ${did} ${lostChars}`).join(', ');
}

/** Until nothing changes: a cut can bring a space or a bracket to the end that an earlier filter would drop. */
function runUntilStable(
  filters: [FilterName, TrimFilter][],
  begun: string,
  view: FilterView,
  steps: FilterStep[],
): string {
  let text = begun;
  let before: string;
  do {
    before = text;
    text = runOnce(filters, text, view, steps);
  } while (text !== before);
  return text;
}

function runOnce(
  filters: [FilterName, TrimFilter][],
  begun: string,
  view: FilterView,
  steps: FilterStep[],
): string {
  let text = begun;
  for (const [filter, trim] of filters) {
    const next = trim(text, view);
    if (next === text) continue;
    steps.push({
      filter,
      did: text.startsWith(next) ? 'cut' : 'rewrote',
      lostChars: text.length - next.length,
    });
    text = next;
  }
  return text;
}

/** A text of several lines ends where its syntax does, as the caller's parser tells. */
function syntacticEnd(text: string, view: FilterView): string {
  return view.multiline ? view.syntacticEnd(text) : text;
}

function entries<T>(filters: Record<string, T>, off: ReadonlySet<FilterName>): [FilterName, T][] {
  return (Object.entries(filters) as [FilterName, T][]).filter(([name]) => !off.has(name));
}

/** True when the model chose to write nothing here: no text, or a line end at once. */
function isSilent(raw: string, multiline: boolean): boolean {
  if (multiline) return raw.trim() === '';
  return raw.trim() === '' || /^[ \t]*\r?\n/.test(raw);
}

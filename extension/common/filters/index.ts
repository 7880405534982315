import { doubledClosers } from './brackets.ts';
import { emptyText, extremeRepetition, loneCloser, repeatsLineAbove, repeatsLineBelow } from './hide.ts';
import {
  documentIndent,
  doubledSpace,
  halfSurrogates,
  lineEnds,
  singleLine,
  stopAtSuffix,
  trailingSpace,
} from './trim.ts';
import {
  filterView,
  type FilterContext,
  type FilterView,
  type HideFilter,
  type TrimFilter,
} from './types.ts';

/** In this order: first what the text is, then what stands around it. The keys are the names in records. */
const trimFilters: Record<string, TrimFilter> = {
  halfSurrogates,
  lineEnds,
  singleLine,
  doubledSpace,
  documentIndent,
  stopAtSuffix,
  doubledClosers,
  trailingSpace,
};

const hideFilters: Record<string, HideFilter> = {
  emptyText,
  extremeRepetition,
  repeatsLineBelow,
  repeatsLineAbove,
  loneCloser,
};

export interface FilterResult {
  /** Text to show; empty when it is hidden. */
  text: string;
  /** Names of the filters that changed or hid the text, in the order in which they ran. */
  filters: string[];
  /** The filter that hid it; absent when it is shown. */
  hiddenBy?: string;
  /** The model itself added nothing to the line: no filter took anything away. */
  silent: boolean;
}

/**
 * What is shown of a generated text. Applying it to its own result changes nothing.
 *
 * @param raw text as the model wrote it
 */
export function applyFilters(raw: string, context: FilterContext): FilterResult {
  const view = filterView(context);
  const { text, filters } = trimUntilStable(raw, view);
  const silent = isSilent(raw, view.multiline);
  const hiddenBy = Object.keys(hideFilters).find((name) => hideFilters[name]?.(text, view));
  if (hiddenBy === undefined) return { text, filters, silent };
  return { text: '', filters: [...filters, hiddenBy], hiddenBy, silent };
}

/** Until nothing changes: a cut can bring a space or a bracket to the end that an earlier filter would drop. */
function trimUntilStable(raw: string, view: FilterView): { text: string; filters: string[] } {
  const filters = new Set<string>();
  let text = raw;
  let before: string;
  do {
    before = text;
    for (const [name, filter] of Object.entries(trimFilters)) {
      const next = filter(text, view);
      if (next !== text) filters.add(name);
      text = next;
    }
  } while (text !== before);
  return { text, filters: [...filters] };
}

/** True when the model chose to write nothing here: no text, or a line end at once. */
function isSilent(raw: string, multiline: boolean): boolean {
  if (multiline) return raw.trim() === '';
  return raw.trim() === '' || /^[ \t]*\r?\n/.test(raw);
}

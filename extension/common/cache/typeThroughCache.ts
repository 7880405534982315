import type { ServedBy } from './servedBy.ts';

/** How much of the text around a caret identifies it, in UTF-16 units on each side. */
export const CACHE_CONTEXT_UNITS = 300;
const ENTRIES_MAX = 100;
/** Closing brackets that the editor may have put behind the caret while the suggestion was typed. */
const AUTO_CLOSED = /^[)\]}>"'`]{1,3}/;

interface CachedSuggestion {
  id: string;
  document: string;
  /** Text around the caret when the suggestion was made, LF; of each side `CACHE_CONTEXT_UNITS` are kept. */
  before: string;
  after: string;
  /** The suggestion as shown, LF. */
  text: string;
  servedBy: ServedBy;
}

interface CacheHit {
  suggestion: CachedSuggestion;
  /** Units of the suggestion that stand in the document already. */
  typed: number;
  /** Units to the right of the caret that the rest of the suggestion replaces: auto-closed brackets. */
  replaced: number;
}

/**
 * Answers a request from a suggestion that is still right: at its own place, after some of it was typed, after
 * some of that was taken back. An answer keeps the completion id. Suggestions of another model, template or adapter
 * are dropped. Pure.
 */
export class TypeThroughCache {
  /** Oldest first. */
  readonly #entries = new Map<string, CachedSuggestion>();
  #servedBy: Partial<ServedBy> = {};

  put(suggestion: CachedSuggestion): void {
    this.serve(suggestion.servedBy);
    this.#entries.delete(suggestion.id);
    this.#entries.set(suggestion.id, {
      ...suggestion,
      before: suggestion.before.slice(-CACHE_CONTEXT_UNITS),
      after: suggestion.after.slice(0, CACHE_CONTEXT_UNITS),
    });
    if (this.#entries.size <= ENTRIES_MAX) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }

  /**
   * The newest suggestion that fits. `before` and `after`: text around the caret, LF, twice `CACHE_CONTEXT_UNITS`
   * each where the document has it.
   */
  find(document: string, before: string, after: string): CacheHit | undefined {
    for (const suggestion of [...this.#entries.values()].reverse()) {
      if (suggestion.document !== document) continue;
      const hit = match(suggestion, before, after);
      if (hit) return hit;
    }
    return undefined;
  }

  /** The id has its outcome: it must not be shown again. */
  forget(id: string): void {
    this.#entries.delete(id);
  }

  /** Says what serves from now on, as far as it is known: what was made with something else is dropped. */
  serve(known: Partial<ServedBy>): void {
    const now = { ...this.#servedBy, ...known };
    const names = Object.keys(this.#servedBy) as (keyof ServedBy)[];
    if (names.some((name) => now[name] !== this.#servedBy[name])) this.#entries.clear();
    this.#servedBy = now;
  }

  /** False: something else serves by now than what made a suggestion. */
  isServed(by: ServedBy): boolean {
    const names = Object.keys(this.#servedBy) as (keyof ServedBy)[];
    return names.every((name) => this.#servedBy[name] === by[name]);
  }

  clear(): void {
    this.#entries.clear();
  }
}

function match(suggestion: CachedSuggestion, before: string, after: string): CacheHit | undefined {
  for (let typed = 0; typed < suggestion.text.length; typed++) {
    if (!endsWithBoth(before, suggestion.before, suggestion.text, typed)) continue;
    const replaced = closersPutIn(suggestion, typed, after);
    if (replaced !== undefined) return { suggestion, typed, replaced };
  }
  return undefined;
}

/**
 * Whether `text` ends with `first` and then the first `units` of `second`. A `first` that is shorter than its cut
 * began with the document, and so must this one.
 */
function endsWithBoth(text: string, first: string, second: string, units: number): boolean {
  const join = text.length - units;
  if (join < 0 || text.slice(join) !== second.slice(0, units)) return false;
  const front = text.slice(0, join);
  return first.length < CACHE_CONTEXT_UNITS ? front === first : front.endsWith(first);
}

/** Brackets that now stand between the caret and the text that stood behind it; undefined: something else changed. */
function closersPutIn(suggestion: CachedSuggestion, typed: number, after: string): number | undefined {
  if (sameStart(after, suggestion.after)) return 0;
  const closers = typed === 0 ? null : AUTO_CLOSED.exec(after);
  for (let units = closers?.[0].length ?? 0; units > 0; units--) {
    const restHasThem = [...after.slice(0, units)].every((closer) =>
      suggestion.text.slice(typed).includes(closer),
    );
    if (restHasThem && sameStart(after.slice(units), suggestion.after)) return units;
  }
  return undefined;
}

/** A remembered text that is shorter than its cut reached the end of the document, and so must this one. */
function sameStart(after: string, remembered: string): boolean {
  return remembered.length < CACHE_CONTEXT_UNITS ? after === remembered : after.startsWith(remembered);
}

import type { DocumentText, OfferedCompletion, TextEdit } from './events.ts';
import { fromLast, toLf } from './offsets.ts';

const OPENING_TO_CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
]);

/** A suggestion on display, and how much of it stands in the document by now. */
export interface Display {
  readonly offer: OfferedCompletion;
  /** Where the suggestion begins now. */
  start: number;
  /** Where the caret has to be for the suggestion to be on display. */
  caret: number;
  /** Units to the right of the caret that are part of what accepting replaces. */
  replaced: number;
  /** Units from the suggestion's start that stand in the document. */
  taken: number;
  /** A part of more than one unit came in at once: accept-word or accept-line, ours or the editor's. */
  byPart: boolean;
  /** Our own accept-word or accept-line command inserted a part. */
  byOwnCommand: boolean;
  /** That command runs: what comes in next is its part, however short. */
  partExpected: boolean;
  /** The suggest widget inserted a part. */
  bySuggestWidget: boolean;
  firstOfferedAt: number;
  /** Since when version and caret are unchanged; undefined while out of focus. */
  stillSince: number | undefined;
  longestStillMs: number;
  /** Time of the editor's own display event. */
  editorShownAt: number | undefined;
}

/** What a change or a caret movement means for a suggestion on display. */
type Effect = 'elsewhere' | 'agreed' | 'complete' | 'disagreed' | 'deletedBefore';

/** A suggestion that goes on display now; nothing of it is taken beyond what stands left of the caret. */
export function newDisplay(offer: OfferedCompletion, at: number): Display {
  return {
    offer,
    start: offer.start,
    caret: offer.caret,
    replaced: offer.replaced,
    taken: offer.caret - offer.start,
    byPart: false,
    byOwnCommand: false,
    partExpected: false,
    bySuggestWidget: false,
    firstOfferedAt: at,
    stillSince: at,
    longestStillMs: 0,
    editorShownAt: undefined,
  };
}

/** Ends the still period that is running and, unless `restart` is false, begins the next. */
export function breakStill(display: Display, at: number, restart: boolean): void {
  if (display.stillSince !== undefined) {
    display.longestStillMs = Math.max(display.longestStillMs, at - display.stillSince);
  }
  display.stillSince = restart ? at : undefined;
}

/** Follows the suggestion's place through a change, whether it is on display or not. */
export function moveDisplay(display: Display, edits: readonly TextEdit[]): void {
  for (const edit of fromLast(edits)) {
    const delta = edit.inserted.length - edit.deleted;
    if (edit.offset >= display.start) continue;
    const moved = Math.max(display.start + delta, edit.offset + edit.inserted.length);
    display.caret += moved - display.start;
    display.start = moved;
  }
}

/**
 * Applies a change to a suggestion on display. `text` is the document after it. What stands between the
 * suggestion's start and the caret is compared with the suggestion, so that typing, backspace, retyping and
 * partial acceptance come out alike however the editor cut its edit.
 */
export function applyChange(display: Display, edits: readonly TextEdit[], text: DocumentText): Effect {
  const { start, caret, replaced } = display;
  const touching = edits.filter(
    (edit) => edit.offset <= caret + replaced && edit.offset + edit.deleted >= start,
  );
  const before = touching.some((edit) => edit.offset < start);
  moveDisplay(display, edits);
  if (touching.length === 0) return 'elsewhere';
  if (before)
    return touching.some((edit) => edit.offset + edit.deleted > start) ? 'disagreed' : 'deletedBefore';
  const edit = touching.reduce((last, one) => (one.offset > last.offset ? one : last));
  const shift = edits
    .filter((one) => one.offset < edit.offset)
    .reduce((sum, one) => sum + one.inserted.length - one.deleted, 0);
  return compare(display, edit, edit.offset + shift, text);
}

/** Applies a caret movement that came without a change: typing over an auto-closed bracket moves only the caret. */
export function applyCaret(display: Display, caret: number, text: DocumentText): Effect {
  if (caret === display.caret) return 'elsewhere';
  const typed = text.slice(display.start, caret);
  if (caret < display.caret || !display.offer.insertText.startsWith(typed)) return 'disagreed';
  display.replaced = Math.max(0, display.replaced - (caret - display.caret));
  display.caret = caret;
  display.taken = typed.length;
  return display.taken === display.offer.insertText.length ? 'complete' : 'agreed';
}

/** The text as displayed: what stood left of the caret already is not part of it. Line ends LF. */
export function shownText(offer: OfferedCompletion): string {
  return toLf(offer.insertText.slice(offer.caret - offer.start));
}

/** How much of the displayed text stands in the document by now, in its own units. */
export function takenChars(display: Display): number {
  return toLf(display.offer.insertText.slice(display.offer.caret - display.offer.start, display.taken))
    .length;
}

function compare(display: Display, edit: TextEdit, place: number, text: DocumentText): Effect {
  const full = display.offer.insertText;
  const caretAfter = place + edit.inserted.length;
  const stands = text.slice(display.start, display.start + full.length) === full;
  if (edit.offset === display.caret && edit.deleted > 0) {
    display.replaced = Math.max(0, display.replaced - edit.deleted);
  }
  if (stands && caretAfter + display.replaced >= display.start + full.length) {
    noteAdvance(display, full.length - display.taken, edit);
    display.taken = full.length;
    display.caret = display.start + full.length;
    return 'complete';
  }
  const automatic = automaticTail(edit.inserted);
  for (const tail of automatic === 0 ? [0] : [0, automatic]) {
    const caret = caretAfter - tail;
    if (caret < display.start || !full.startsWith(text.slice(display.start, caret))) continue;
    noteAdvance(display, caret - display.start - display.taken, edit);
    display.taken = caret - display.start;
    display.caret = caret;
    display.replaced += tail;
    return 'agreed';
  }
  return caretAfter < display.start || edit.inserted === '' ? 'deletedBefore' : 'disagreed';
}

/** Units at the end of an insertion that the editor put behind the caret: a closing bracket, a line for one. */
function automaticTail(inserted: string): number {
  if (inserted.length === 2 && OPENING_TO_CLOSING.get(inserted[0]!) === inserted[1]) return 1;
  const brokenLine = /^(\r?\n[ \t]*)(\r?\n[ \t]*)$/.exec(inserted);
  return brokenLine ? brokenLine[2]!.length : 0;
}

function noteAdvance(display: Display, units: number, edit: TextEdit): void {
  if (units <= 0) return;
  if (display.partExpected) {
    display.partExpected = false;
    display.byPart = true;
    display.byOwnCommand = true;
    return;
  }
  const oneKey =
    edit.inserted.length <= 1 || automaticTail(edit.inserted) > 0 || /^\r?\n[ \t]*$/.test(edit.inserted);
  if (oneKey) return;
  if (display.offer.suggestWidget) display.bySuggestWidget = true;
  else display.byPart = true;
}

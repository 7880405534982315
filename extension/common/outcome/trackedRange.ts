import type { TextEdit } from './events.ts';
import { fromLast } from './offsets.ts';

/** A range that follows its text through edits. Immutable. */
export interface TrackedRange {
  start: number;
  end: number;
  /** False once an edit reached over the start: what was in front of the range is not what it was. */
  intact: boolean;
}

/**
 * The range after a change. An insertion at its start or its end belongs to it; a deletion that ends exactly at
 * its start removes what stood in front and makes it not intact.
 */
export function growingRange(range: TrackedRange, edits: readonly TextEdit[]): TrackedRange {
  return fromLast(edits).reduce(growByOne, range);
}

/**
 * The range after a change, where text inserted at either border stays outside. An empty range takes in what is
 * inserted at its place, so that a text that was deleted and brought back is found again.
 */
export function closedRange(range: TrackedRange, edits: readonly TextEdit[]): TrackedRange {
  return fromLast(edits).reduce(shiftByOne, range);
}

function growByOne(range: TrackedRange, edit: TextEdit): TrackedRange {
  const editEnd = edit.offset + edit.deleted;
  const delta = edit.inserted.length - edit.deleted;
  if (edit.offset > range.end) return range;
  if (editEnd < range.start || (editEnd === range.start && edit.offset < range.start)) {
    const intact = range.intact && editEnd < range.start;
    return { start: range.start + delta, end: range.end + delta, intact };
  }
  if (edit.offset < range.start) {
    const insertedEnd = edit.offset + edit.inserted.length;
    return { start: insertedEnd, end: Math.max(insertedEnd, range.end + delta), intact: false };
  }
  if (editEnd <= range.end) return { ...range, end: range.end + delta };
  return { ...range, end: edit.offset + edit.inserted.length };
}

function shiftByOne(range: TrackedRange, edit: TextEdit): TrackedRange {
  const editEnd = edit.offset + edit.deleted;
  const delta = edit.inserted.length - edit.deleted;
  const empty = range.start === range.end;
  if (empty && edit.deleted === 0 && edit.offset === range.start) {
    return { ...range, end: range.start + edit.inserted.length };
  }
  if (edit.offset >= range.end) return range;
  if (editEnd <= range.start) return { ...range, start: range.start + delta, end: range.end + delta };
  const insertedEnd = edit.offset + edit.inserted.length;
  const start = Math.min(range.start, edit.offset);
  const end = editEnd <= range.end ? range.end + delta : insertedEnd;
  return { start, end, intact: range.intact && edit.offset >= range.start };
}

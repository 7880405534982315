import type { DocumentText, TextEdit } from './events.ts';

const SCAN_CHUNK_UNITS = 256;

/** Edits from the end of the document to its start, so that each can be applied without moving the next. */
export function fromLast(edits: readonly TextEdit[]): TextEdit[] {
  return [...edits].sort((a, b) => b.offset - a.offset);
}

/** The text after a change, whose edits are in offsets of the text before it. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = text;
  for (const edit of fromLast(edits)) {
    result = result.slice(0, edit.offset) + edit.inserted + result.slice(edit.offset + edit.deleted);
  }
  return result;
}

/** Line ends of every kind as LF. */
export function toLf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Offset of the first line break at or after `offset`, or the document's length. */
function lineEnd(text: DocumentText, offset: number): number {
  for (let from = offset; from < text.length; from += SCAN_CHUNK_UNITS) {
    const at = text.slice(from, from + SCAN_CHUNK_UNITS).search(/[\r\n]/);
    if (at >= 0) return from + at;
  }
  return text.length;
}

/** Offset of the first unit of the line that `offset` is in. */
export function lineStart(text: DocumentText, offset: number): number {
  for (let to = offset; to > 0; to -= SCAN_CHUNK_UNITS) {
    const from = Math.max(0, to - SCAN_CHUNK_UNITS);
    const chunk = text.slice(from, to);
    const at = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

/** End of the line that lies `lines` below the line of `offset`, or the document's length. */
export function lineEndBelow(text: DocumentText, offset: number, lines: number): number {
  let end = lineEnd(text, offset);
  for (let line = 0; line < lines && end < text.length; line++) {
    const breakUnits = text.slice(end, end + 2) === '\r\n' ? 2 : 1;
    end = lineEnd(text, end + breakUnits);
  }
  return end;
}

/** Line breaks of any kind in a text. */
export function newlineCount(text: string): number {
  return toLf(text).split('\n').length - 1;
}

/** The text up to its first line break of any kind. */
export function firstLine(text: string): string {
  return toLf(text).split('\n', 1)[0] ?? '';
}

import { Range, type Selection, type TextDocument, type TextDocumentContentChangeEvent } from 'vscode';
import type { DocumentText, TextEdit } from '../common/outcome/index.ts';

/** A document of the editor as the trackers read it: by offset, a little at a time. */
export class DocumentView implements DocumentText {
  readonly #document: TextDocument;

  constructor(document: TextDocument) {
    this.#document = document;
  }

  get length(): number {
    const last = this.#document.lineAt(this.#document.lineCount - 1);
    return this.#document.offsetAt(last.range.end);
  }

  slice(start: number, end: number): string {
    if (end <= start) return '';
    return this.#document.getText(
      new Range(this.#document.positionAt(start), this.#document.positionAt(end)),
    );
  }
}

/** What the trackers know a document by. */
export function documentKey(document: TextDocument): string {
  return document.uri.toString();
}

/** The editor's changes as the trackers take them. */
export function editsOf(changes: readonly TextDocumentContentChangeEvent[]): TextEdit[] {
  return changes.map(({ rangeOffset, rangeLength, text }) => ({
    offset: rangeOffset,
    deleted: rangeLength,
    inserted: text,
  }));
}

/** Selections as UTF-16 offsets of the document as it stands. */
export function offsetsOf(
  document: TextDocument,
  selections: readonly Selection[],
): { start: number; end: number }[] {
  return selections.map(({ start, end }) => ({
    start: document.offsetAt(start),
    end: document.offsetAt(end),
  }));
}

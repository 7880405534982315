/**
 * What the trackers of this folder are told. Every event carries its time (milliseconds since the epoch or of a
 * virtual clock) and, where a document is concerned, its key; nothing here reads a clock or an editor.
 * Offsets are UTF-16 units of the document as it stands, carriage returns included.
 */

import type { DisplayDecision } from '../contracts/outcome.ts';

/** The text of a document right after the event. A string is one; an editor's document is wrapped in one. */
export interface DocumentText {
  readonly length: number;
  slice(start: number, end: number): string;
}

/** One replacement, in offsets of the document before the change. The edits of one change don't overlap. */
export interface TextEdit {
  offset: number;
  /** Units removed. */
  deleted: number;
  inserted: string;
}

/**
 * Who changed the document. `typing`: keys, the suggest widget, a small paste, our own accept. `tool`: a
 * formatter, a refactoring, another extension, or any change while the document isn't in the focused editor.
 */
export type ChangeOrigin = 'typing' | 'paste' | 'undo' | 'redo' | 'tool';

/** A completion as it is handed to the editor. */
export interface OfferedCompletion {
  /** Completion id. */
  id: string;
  document: string;
  /** Where the editor will insert: start of the item's range. */
  start: number;
  /** Caret when the item was asked for; text between `start` and it already stands in the document. */
  caret: number;
  /** Units to the right of the caret that the item replaces. */
  replaced: number;
  /** What the editor inserts at `start`, in the document's line ends. */
  insertText: string;
  /** True when the suggest widget had a selection: what it inserts is not an acceptance of ours. */
  suggestWidget: boolean;
  /** Names of the filters that changed the text. */
  filters: string[];
  /** Facts that are copied into the outcome event. */
  display?: DisplayDecision | undefined;
  language: string;
  relativePath: string;
  workspaceKey: string;
  documentVersion: number;
  session: string;
}

/** A completion that never reached the editor. */
export interface WithheldCompletion extends Omit<OfferedCompletion, 'insertText' | 'start' | 'replaced'> {
  /** Text before filters, LF; empty when the model chose silence. Tells how many lines the correction spans. */
  rawText: string;
  /** Name of the filter that hid it; null: the model ended at once. */
  by: string | null;
}

/** A completion whose answer came too late to be given to the editor. */
export type DroppedCompletion = Omit<WithheldCompletion, 'by'>;

interface At {
  at: number;
}

interface InDocument extends At {
  document: string;
  text: DocumentText;
}

export type EditorEvent =
  /** The provider returned the item and the request was not cancelled. Again for the same id from a cache: fine. */
  | ({ type: 'offered'; completion: OfferedCompletion } & InDocument)
  | ({ type: 'withheld'; completion: WithheldCompletion } & InDocument)
  /** The suggest widget is in the way: the suggestion may be offered in a moment. On display, it is covered. */
  | ({ type: 'held'; completion: OfferedCompletion } & InDocument)
  /** Answered, but cancelled; `changed`: the document is not the one any more that it was asked for. */
  | ({ type: 'dropped'; completion: DroppedCompletion; changed: boolean } & InDocument)
  | ({ type: 'change'; edits: TextEdit[]; origin: ChangeOrigin } & InDocument)
  | ({ type: 'selection'; caret: number } & InDocument)
  /** The item's own command ran: the editor accepted it. Comes after the change and the selection event. */
  | ({ type: 'accept'; id: string } & At)
  /** Our accept-word or accept-line command is about to run. */
  | ({ type: 'acceptPart'; document: string } & At)
  /** Our Escape command ran while an inline suggestion was on display. */
  | ({ type: 'escape'; document: string } & At)
  /** The editor that has the focus now; null: none, or the window lost it. */
  | ({ type: 'focus'; document: string | null } & At)
  | ({ type: 'closed'; document: string } & At)
  /** The file was deleted. */
  | ({ type: 'deleted'; document: string } & At)
  | ({ type: 'renamed'; document: string; to: string } & At)
  /** The editor's own display event, where the proposed API is on. */
  | ({ type: 'editorShown'; id: string } & At)
  /** The editor's own end-of-life event, where the proposed API is on. */
  | ({
      type: 'editorEnded';
      id: string;
      reason: 'accepted' | 'rejected' | 'ignored';
      typedAgainst?: boolean;
    } & At)
  /** Time has passed. Due at the latest at `nextDueAt()`. */
  | ({ type: 'tick' } & At)
  /** The window closes: everything open is settled now. */
  | ({ type: 'shutdown' } & At);

import { EndOfLine, type Position, Range, type TextDocument } from 'vscode';
import { promptWindow, type PromptWindow } from '../common/prompt/window.ts';
import { toLf } from '../common/outcome/offsets.ts';

/** More than any prompt window reaches, in UTF-16 units; the whole of a long document is never read. */
const READ_BEFORE_UNITS = 4000;
const READ_AFTER_UNITS = 2000;

/** The text around a caret, LF. */
export interface Surroundings {
  before: string;
  after: string;
  /** Rest of the caret's line. */
  lineSuffix: string;
  eol: '\n' | '\r\n';
  /** UTF-16 offset of the caret in the document as it is, and with LF line ends. */
  offset: number;
  lfOffset: number;
}

export function surroundingsOf(document: TextDocument, position: Position): Surroundings {
  const crlf = document.eol === EndOfLine.CRLF;
  const offset = document.offsetAt(position);
  const from = document.positionAt(Math.max(0, offset - READ_BEFORE_UNITS));
  const to = document.positionAt(offset + READ_AFTER_UNITS);
  const lineSuffix = document.lineAt(position.line).text.slice(position.character);
  return {
    before: toLf(document.getText(new Range(from, position))),
    after: toLf(document.getText(new Range(position, to))),
    lineSuffix,
    eol: crlf ? '\r\n' : '\n',
    offset,
    lfOffset: crlf ? offset - position.line : offset,
  };
}

/**
 * The prompt's window, as it would be cut from the whole document: where it starts depends on offsets in the
 * whole, so what was not read is stood for by blanks, which the window doesn't reach.
 */
export function windowOf({ before, after, lfOffset }: Surroundings, path: string): PromptWindow {
  const unread = ' '.repeat(Math.max(0, lfOffset - before.length));
  return promptWindow(unread + before + after, unread.length + before.length, path);
}

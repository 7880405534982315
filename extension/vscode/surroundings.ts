import { EndOfLine, type Position, Range, type TextDocument } from 'vscode';
import { toLf } from '../common/outcome/offsets.ts';
import { READ_AFTER_UNITS, READ_BEFORE_UNITS } from '../common/suggestion/partialWindow.ts';

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

/** Reads what a prompt and its filters need around a caret, never the whole document. */
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

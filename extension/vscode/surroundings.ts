import { EndOfLine, type Position, Range, type TextDocument } from 'vscode';
import { toLf } from '../common/outcome/offsets.ts';
import { READ_AFTER_UNITS, READ_BEFORE_UNITS } from '../common/suggestion/partialWindow.ts';
import type { Surroundings } from '../common/suggestion/surroundings.ts';

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

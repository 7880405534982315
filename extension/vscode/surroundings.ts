import { EndOfLine, type Position, Range, type TextDocument } from 'vscode';
import { READ_AFTER_UNITS, READ_BEFORE_UNITS } from '../common/suggestion/partialWindow.ts';
import { normalisedSurroundings, type Surroundings } from '../common/suggestion/surroundings.ts';

/** Reads what a prompt and its filters need around a caret, never the whole document. */
export function surroundingsOf(document: TextDocument, position: Position): Surroundings {
  const offset = document.offsetAt(position);
  const from = document.positionAt(Math.max(0, offset - READ_BEFORE_UNITS));
  const to = document.positionAt(offset + READ_AFTER_UNITS);
  return normalisedSurroundings({
    before: document.getText(new Range(from, position)),
    after: document.getText(new Range(position, to)),
    lineSuffix: document.lineAt(position.line).text.slice(position.character),
    crlf: document.eol === EndOfLine.CRLF,
    offset,
    line: position.line,
  });
}

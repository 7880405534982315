/** Where a name is declared, by the look of the lines; the language server knows better where there is one. Pure. */
import { indentOf } from '../filters/types.ts';
import { wholeLines } from './snippets.ts';

const DECLARES =
  'function\\*?|class|interface|type|enum|const|let|var|def|fn|struct|trait|func|object|record|namespace';
const MOST_DECLARATION_LINES = 16;

export interface Declaration {
  /** 0-based. */
  firstLine: number;
  /** Whole lines, LF, with a line end behind each. */
  text: string;
}

/** The declaration of a name, from its first line to where its indentation ends, within `maxChars`. `text` is LF. */
export function declarationOf(text: string, name: string, maxChars: number): Declaration | undefined {
  const escaped = name.replace(/[$]/g, '\\$&');
  const pattern = new RegExp(`^([\\w\\s()]*\\s)?(${DECLARES})\\s+${escaped}(?![\\w$])`);
  const lines = text.split('\n');
  const firstLine = lines.findIndex((line) => pattern.test(line));
  if (firstLine === -1) return undefined;
  const last = lastLineOf(lines, firstLine);
  const shown = wholeLines(lines.slice(0, last + 1), firstLine, maxChars);
  return shown === '' ? undefined : { firstLine, text: shown };
}

/** The declaration ends before the next line that is not indented deeper, a closing bracket's line included. */
function lastLineOf(lines: readonly string[], firstLine: number): number {
  const indent = indentOf(lines[firstLine]!).length;
  const end = Math.min(lines.length, firstLine + MOST_DECLARATION_LINES);
  let last = firstLine;
  for (let line = firstLine + 1; line < end; line++) {
    const text = lines[line]!;
    if (text.trim() === '') continue;
    if (indentOf(text).length > indent) {
      last = line;
      continue;
    }
    return /^\s*[)\]}>|&]/.test(text) ? line : last;
  }
  return last;
}

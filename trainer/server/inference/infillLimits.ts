/** Where llama-server's `/infill` ends a text, beside stop strings and the number of tokens. */
import type { GenerateRequest } from '../../inference/types.ts';

interface InfillLimits {
  /** Columns by which every line but the first is indented at least. */
  indentColumns: number;
  /** Time after the first token after which the next line end is the last; 0: none. */
  predictMs: number;
}

/**
 * Undefined when nothing limits the text. A line that is indented less than wanted is cut off with the line end
 * before it; when the time is over the text ends with the line under way.
 */
export function endOfInfill({ indentColumns, predictMs }: InfillLimits): GenerateRequest['endsAt'] {
  if (indentColumns <= 0 && predictMs <= 0) return undefined;
  return (text, generatingMs) => {
    const lineEnd = text.lastIndexOf('\n');
    if (lineEnd < 0) return null;
    const line = text.slice(lineEnd + 1);
    if (predictMs > 0 && generatingMs > predictMs && line === '') return lineEnd;
    const content = line.search(/[^ \t]/);
    return content >= 0 && content < indentColumns ? lineEnd : null;
  };
}

/** The declarations of a document that the window around the caret doesn't show. Pure. */

const DECLARES =
  /^(export\s+)?(default\s+)?(pub(\([^)]*\))?\s+)?(abstract\s+)?(async\s+)?(function|class|interface|type|enum|const|struct|trait|impl|def|fn|func|namespace)\b/;
/** A method of a class: a name, parameters, and a block that begins. */
const METHOD =
  /^((public|private|protected|static|async|override|readonly|get|set)\s+)*[#\w$]+\s*(<[^>]*>)?\([^)]*\).*[{:]$/;
/** Words that look like a method's name and are none. */
const STATEMENT = /^(if|for|while|switch|catch|return|with|else|elif|do)\b/;
/** Deeper ones are local. */
const DEEPEST_INDENT = 4;

export interface Outline {
  /** 0-based, of its first line. */
  firstLine: number;
  /** The lines of the declarations, in their order, LF, with a line end behind each. */
  text: string;
}

/**
 * The first lines of the declarations outside of the lines `shown.from` to `shown.to` (0-based, the end excluded), the
 * nearest ones first as far as `maxChars` go; undefined when there is none.
 *
 * @param text LF
 */
export function outlineOf(
  text: string,
  shown: { from: number; to: number },
  maxChars: number,
): Outline | undefined {
  const declarations = text
    .split('\n')
    .map((line, number) => ({ line, number, distance: distanceTo(shown, number) }))
    .filter(({ line, distance }) => distance > 0 && declares(line));
  const nearest = declarations.toSorted((a, b) => a.distance - b.distance);
  let chars = 0;
  const taken = nearest.filter(({ line }) => (chars += line.length + 1) <= maxChars);
  if (taken.length === 0) return undefined;
  const ordered = taken.toSorted((a, b) => a.number - b.number);
  return { firstLine: ordered[0]!.number, text: ordered.map(({ line }) => `${line}\n`).join('') };
}

function declares(line: string): boolean {
  const content = line.trimStart();
  const indent = line.length - content.length;
  if (content === '' || indent > DEEPEST_INDENT) return false;
  if (DECLARES.test(content)) return indent === 0 || !content.startsWith('const');
  return indent > 0 && METHOD.test(content) && !STATEMENT.test(content);
}

/** Lines between a line and the shown ones; 0 for a shown one. */
function distanceTo({ from, to }: { from: number; to: number }, line: number): number {
  return line < from ? from - line : Math.max(0, line - to + 1);
}

/** The words of code that retrieval counts: identifiers, whole and in their parts. Pure. */

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** `getHTTPStatus_code` → get, HTTP, Status, code. */
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+/gu;
const SHORTEST_WORD_CHARS = 3;
/** A longer one is data. */
const LONGEST_WORD_CHARS = 60;

/** Words of the languages themselves, which stand everywhere and tell nothing. */
const KEYWORDS = new Set(
  (
    'abstract and any args array arguments as assert async await bool boolean break case catch char class const ' +
    'continue constructor debugger declare def default defer del delete do double elif else end enum except export ' +
    'extends extern false final finally float fn for foreach from func function get global go goto if impl implements ' +
    'import in include instanceof int interface is keyof lambda let long map match mod module move mut namespace new ' +
    'nil none not null number object of or override package pass private protected pub public raise readonly ref ' +
    'require return self set short signed sizeof static str string struct super switch this throw throws trait true ' +
    'try tuple type typedef typeof undefined union unknown unsafe use using var void where while with yield'
  ).split(' '),
);

/** Words of a text in their order, lower case, repeated as they are: each identifier, and its parts where it has several. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [identifier] of text.matchAll(IDENTIFIER)) {
    if (identifier.length > LONGEST_WORD_CHARS) continue;
    add(words, identifier);
    const parts = identifier.match(PARTS);
    if (parts !== null && parts.length > 1) for (const part of parts) add(words, part);
  }
  return words;
}

function add(words: string[], raw: string): void {
  const word = raw.toLowerCase();
  if (word.length >= SHORTEST_WORD_CHARS && !KEYWORDS.has(word)) words.push(word);
}

/** Which tokens of a vocabulary are not text: they end a completion, are never shown, and no document contains them. */
import { FIM_MARKERS } from '../../extension/common/prompt/fimFamilies.ts';

const TYPE_UNKNOWN = 2;
const TYPE_CONTROL = 3;
const TYPE_USER_DEFINED = 4;
const TYPE_UNUSED = 5;
/** Types that llama.cpp never shows. */
const HIDDEN_TYPES: ReadonlySet<number> = new Set([TYPE_UNKNOWN, TYPE_CONTROL, TYPE_UNUSED]);

/**
 * Model files list special tokens as user-defined ones too, beside tokens that are text (runs of spaces, `<tool_call>`).
 * These spellings, and placeholders for ids without a token, are special; the rule is that of llama.cpp's converter.
 */
const SPECIAL_SPELLING = /^(<\|.*\|>|<｜.*｜>|<pad>|<mask>|\[PAD\d+\])$/su;

/** The special tokens of one vocabulary. */
export class SpecialTokens {
  readonly ids: ReadonlySet<number>;
  private readonly spellings: readonly string[];

  /** `ending`: ids that end a generation, which are special whatever their type; so are the markers of any family. */
  constructor(spellings: readonly string[], types: readonly number[], ending: readonly number[]) {
    this.spellings = spellings;
    const listed = spellings
      .map((_, id) => id)
      .filter((id) => FIM_MARKERS.has(spellings[id]!) || isSpecial(spellings[id]!, types[id]));
    this.ids = new Set([...ending, ...listed]);
  }

  /** The text in pieces, none of which contains the whole spelling of one of the ids. */
  cutSpellings(text: string, ids: ReadonlySet<number>): string[] {
    const spellings = [...ids].flatMap((id) => spellingsInText(this.spellings[id]!));
    const longestFirst = spellings.sort((left, right) => right.length - left.length);
    return longestFirst.reduce((pieces, spelling) => pieces.flatMap((piece) => cut(piece, spelling)), [text]);
  }
}

function isSpecial(spelling: string, type: number | undefined): boolean {
  if (type === undefined) return false;
  return HIDDEN_TYPES.has(type) || (type === TYPE_USER_DEFINED && SPECIAL_SPELLING.test(spelling));
}

/** SentencePiece writes a space as `▁`. */
function spellingsInText(spelling: string): string[] {
  return spelling.includes('▁') ? [spelling, spelling.replaceAll('▁', ' ')] : [spelling];
}

/** Cuts after the first character of the spelling, a whole one: half a surrogate pair has no UTF-8. */
function cut(text: string, spelling: string): string[] {
  const first = String.fromCodePoint(spelling.codePointAt(0)!);
  const pieces = text.split(spelling);
  return pieces.map((piece, index) => {
    const front = index === 0 ? '' : spelling.slice(first.length);
    return front + piece + (index === pieces.length - 1 ? '' : first);
  });
}

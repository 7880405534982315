/** Puts generated ids together to text: characters that take several ids, and stop strings. */
import type { Vocabulary } from './vocabulary.ts';

const REPLACEMENT = '\uFFFD';
/** A UTF-8 character has at most four bytes, so at most four ids wait for the rest of one. */
const MAX_OPEN_IDS = 4;

/** The text of ids that come one by one. */
export class TextAssembler {
  /** Text of all ids so far, open characters left out. */
  text = '';
  private readonly vocabulary: Pick<Vocabulary, 'tokenize' | 'detokenize'>;
  private readonly before: number[];
  private open: number[] = [];

  /** `prompt`: what was generated from; its end decides about leading spaces in some vocabularies. */
  constructor(vocabulary: Pick<Vocabulary, 'tokenize' | 'detokenize'>, prompt: readonly number[]) {
    this.vocabulary = vocabulary;
    this.before = [...prompt.slice(-8)];
  }

  /** Text that this id completes; empty while a character is open. */
  push(id: number): string {
    this.open.push(id);
    const piece = this.vocabulary.detokenize(this.open, this.before);
    if (this.isOpen(piece)) return '';
    this.before.push(...this.open);
    this.open = [];
    this.text += piece;
    return piece;
  }

  /** Whether the ids end inside a character. Where they are what the piece is spelled with, U+FFFD is one itself. */
  private isOpen(piece: string): boolean {
    if (!piece.endsWith(REPLACEMENT) || this.open.length >= MAX_OPEN_IDS) return false;
    const spelled = this.vocabulary.tokenize(piece);
    return spelled.length !== this.open.length || spelled.some((id, i) => id !== this.open[i]);
  }
}

/** Where the first stop string begins, or −1. */
export function findStop(text: string, stops: readonly string[]): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Length of the part of the text that no stop string can reach back into, whatever comes next. */
export function safeLength(text: string, stops: readonly string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length));
  for (let start = Math.max(0, text.length - longest + 1); start < text.length; start++) {
    const end = text.slice(start);
    if (stops.some((stop) => stop.startsWith(end))) return start;
  }
  return text.length;
}

import { createHash } from 'node:crypto';
import { takeApartFim } from '../../extension/common/prompt/fimParse.ts';

/** One place in five is held out. */
const HELD_OUT_ONE_IN = 5;

/** Where a completion was asked for. */
interface Place {
  relativePath: string;
  /** UTF-16 offset of the caret in the document; 0 also when the client did not tell it. */
  offset: number;
  /** UTF-16 units between the start of the line and the caret. */
  column: number;
  /** Stands for the position when the client told none. */
  promptText: string;
}

/**
 * Whether what happens at a place is kept out of training for ever. The hash takes the start of the line, so that
 * every request in one line falls on the same side: the text typed after the first of them contains what was typed
 * after the others.
 */
export function isHeldOut(place: Place): boolean {
  const told = place.offset > 0 && place.offset >= place.column;
  const position = told ? String(place.offset - place.column) : `?${place.promptText}`;
  const digest = createHash('sha256').update(`${place.relativePath}\n${position}`).digest();
  return digest.readUInt32LE(0) % HELD_OUT_ONE_IN === 0;
}

/** UTF-16 units between the start of the caret's line and the caret, as the prompt shows it. */
export function columnOf(promptText: string): number {
  const prefix = prefixOf(promptText);
  return prefix.length - (prefix.lastIndexOf('\n') + 1);
}

/** The text before the caret inside a prompt in any family's markers and order. */
export function prefixOf(promptText: string): string {
  return takeApartFim(promptText)?.document.prefix ?? promptText;
}

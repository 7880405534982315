/** Secrets of a text replaced by a placeholder of the same length and shape. Pure. */
import type { FimDocument } from '../prompt/fim.ts';
import { findSecrets, type Span } from './findSecrets.ts';

/** Written over and over in place of a secret's characters. */
const WORD = 'MASKED';
/** What stays of a secret: what gives it its shape, line ends above all. */
const SHAPE = /[\s()[\]{}"'`\-_.:/@=+,;\\]/;
/** So many characters of the placeholder in a row are no accident. */
const TELLING_CHARS = 8;
const PLACEHOLDER = new RegExp(
  [
    ...[...WORD].map((_, first) => `${spelled(first, TELLING_CHARS)}(?:[-_.:/@=+]*[${WORD}])*`),
    // A login may be shorter, but stands in an address.
    `(?<=://)[${WORD}]+:[^\\s@/]*(?=@)`,
  ].join('|'),
  'g',
);

/**
 * The text with its secrets replaced: every character but white space, brackets, quotes and separators is written
 * over. It has the length and the lines of the original, so that offsets are valid in both; a text that is masked
 * already stays as it is.
 */
export function maskSecrets(text: string): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  let result = '';
  let end = 0;
  for (const span of spans) {
    result += text.slice(end, span.start) + placeholderOf(text.slice(span.start, span.end));
    end = span.end;
  }
  return result + text.slice(end);
}

/** The texts before and after a caret; a secret that the caret stands in is found, too. */
export function maskAround(before: string, after: string): { before: string; after: string } {
  const masked = maskSecrets(before + after);
  return { before: masked.slice(0, before.length), after: masked.slice(before.length) };
}

/** A document and the files beside it. */
export function maskDocument(document: FimDocument): FimDocument {
  const { leading, files } = document;
  const { before, after } = maskAround(document.prefix, document.suffix);
  return {
    ...document,
    ...(leading === undefined ? {} : { leading: maskSecrets(leading) }),
    ...(files === undefined
      ? {}
      : { files: files.map(({ path, text }) => ({ path, text: maskSecrets(text) })) }),
    prefix: before,
    suffix: after,
  };
}

/** A value as JSON has it with every string in it masked. */
export function maskStrings<T>(value: T): T {
  if (typeof value === 'string') return maskSecrets(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => maskStrings(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskStrings(one)])) as T;
}

/** Where a text has placeholders. */
export function findPlaceholders(text: string): Span[] {
  return [...text.matchAll(PLACEHOLDER)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}

function placeholderOf(secret: string): string {
  let written = 0;
  let result = '';
  for (let i = 0; i < secret.length; i++) {
    const character = secret[i]!;
    result += SHAPE.test(character) ? character : WORD[written++ % WORD.length]!;
  }
  return result;
}

function spelled(first: number, count: number): string {
  return Array.from({ length: count }, (_, i) => WORD[(first + i) % WORD.length]!).join(`${SHAPE.source}*`);
}

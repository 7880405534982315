/** Fill-in-the-middle prompts: a document rendered in a model's template. */
import { spellingInText, type FileLayout, type FimOrder } from './fimFamilies.ts';
import { fileParts } from './fimFiles.ts';

/** A piece of a prompt: a marker of the model's vocabulary, or text that is never parsed for markers. */
export type PromptPart = { marker: string } | { text: string };

/** What a piece stands for; it decides what is cut when the prompt is too long. */
export type PartRole = 'file' | 'path' | 'marker' | 'prefix' | 'suffix';

export type RolePart = PromptPart & { role: PartRole };

export interface FimTemplate {
  family: string;
  order: FimOrder;
  prefix: string;
  suffix: string;
  middle: string | null;
  layout: FileLayout;
  /** Marker of a file; null where the layout has none. */
  file: string | null;
  repo: string | null;
  /** What stands between a repository's name and the first file. */
  repoEnd: string;
  /** Put in front of the prefix. */
  lead: string;
  /** Every marker of the template that the vocabulary has. */
  markers: string[];
}

export interface FimDocument {
  /** Text in front of everything, as a client wrote it. */
  leading?: string;
  /** Name of the repository. */
  repo?: string;
  /** Other files, shown before the document. */
  files?: { path: string; text: string }[];
  path?: string;
  prefix: string;
  suffix: string;
}

/** The document in the template's markers and order; what the model has no way to be shown is left out. */
export function renderFim(template: FimTemplate, document: FimDocument): RolePart[] {
  const { front, inPrefix } = fileParts(template, document);
  const leading: RolePart[] = document.leading ? [{ text: document.leading, role: 'file' }] : [];
  const before: RolePart[] = [...inPrefix, { text: document.prefix, role: 'prefix' }];
  const parts = [...leading, ...front, ...body(template, lead(template, before), document.suffix)];
  return parts.filter((part) => 'marker' in part || part.text !== '');
}

/** For a model without markers: what stands before the caret, and nothing else. */
export function renderPrefixOnly(document: FimDocument): RolePart[] {
  return document.prefix === '' ? [] : [{ text: document.prefix, role: 'prefix' }];
}

/** Text in which the given markers, as clients write them, are markers and the rest is text. */
export function splitMarkers(text: string, markers: readonly string[]): RolePart[] {
  if (markers.length === 0) return text === '' ? [] : [{ text, role: 'prefix' }];
  const bySpelling = new Map(markers.map((marker) => [spellingInText(marker), marker]));
  const longestFirst = [...bySpelling.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(`(${longestFirst.map(escapePattern).join('|')})`);
  return text
    .split(pattern)
    .map((piece, index): RolePart =>
      index % 2 === 1 ? { marker: bySpelling.get(piece)!, role: 'marker' } : { text: piece, role: 'prefix' },
    )
    .filter((part) => 'marker' in part || part.text !== '');
}

/** The prompt as a client would have to write it; for comparison and for records, not for tokenising. */
export function promptText(parts: readonly PromptPart[]): string {
  return parts.map((part) => ('marker' in part ? spellingInText(part.marker) : part.text)).join('');
}

function body(template: FimTemplate, before: RolePart[], suffix: string): RolePart[] {
  const marker = (name: string): RolePart => ({ marker: name, role: 'marker' });
  const after: RolePart = { text: suffix, role: 'suffix' };
  const { middle } = template;
  if (middle === null) return [marker(template.suffix), after, marker(template.prefix), ...before];
  if (template.order === 'spm') {
    return [marker(template.prefix), marker(template.suffix), after, marker(middle), ...before];
  }
  return [marker(template.prefix), ...before, marker(template.suffix), after, marker(middle)];
}

function lead(template: FimTemplate, before: RolePart[]): RolePart[] {
  const [first, ...rest] = before;
  if (template.lead === '' || first === undefined || 'marker' in first || first.text === '') return before;
  return [{ ...first, text: template.lead + first.text }, ...rest];
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Fill-in-the-middle prompts: which template a model needs, and a document rendered in it. */
import { FIM_FAMILIES, type FimFamily, type FimOrder } from './fimFamilies.ts';

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
  /** Marker in front of a path; null: the model was shown no paths, and none are put in. */
  file: string | null;
  repo: string | null;
  /** Every marker of the template that the vocabulary has. */
  markers: string[];
}

export interface FimDocument {
  /** Text in front of everything, as a client wrote it. */
  leading?: string;
  /** What stands after the repository marker, line end included. */
  repo?: string;
  /** Other files, shown before the document. */
  files?: { path: string; text: string }[];
  path?: string;
  prefix: string;
  suffix: string;
}

/**
 * The template of the model whose vocabulary is given, or null when it has no complete set of markers.
 * `order` is the value of `hone.fim.order` in the model file; without it the family's own order is taken.
 */
export function chooseFimTemplate(
  vocabulary: ReadonlySet<string>,
  order: string | null | undefined,
): FimTemplate | null {
  const family = FIM_FAMILIES.find((candidate) =>
    requiredMarkers(candidate).every((marker) => vocabulary.has(marker)),
  );
  if (family === undefined) return null;
  const own: FimOrder = family.middle === null ? 'spm' : 'psm';
  return {
    family: family.name,
    order: family.middle !== null && (order === 'spm' || order === 'psm') ? order : own,
    prefix: family.prefix,
    suffix: family.suffix,
    middle: family.middle,
    file: family.file.find((marker) => vocabulary.has(marker)) ?? null,
    repo: family.repo !== null && vocabulary.has(family.repo) ? family.repo : null,
    markers: allMarkers(family).filter((marker) => vocabulary.has(marker)),
  };
}

/** The document in the template's markers and order; what the model has no marker for is left out. */
export function renderFim(template: FimTemplate, document: FimDocument): RolePart[] {
  const parts: RolePart[] = [];
  if (document.leading) parts.push({ text: document.leading, role: 'file' });
  if (template.repo !== null && document.repo) {
    parts.push({ marker: template.repo, role: 'file' }, { text: document.repo, role: 'file' });
  }
  if (template.file !== null) {
    for (const file of document.files ?? []) {
      parts.push(
        { marker: template.file, role: 'file' },
        { text: `${file.path}\n${file.text}`, role: 'file' },
      );
    }
    if (document.path)
      parts.push({ marker: template.file, role: 'marker' }, { text: `${document.path}\n`, role: 'path' });
  }
  parts.push(...body(template, document));
  return parts.filter((part) => 'marker' in part || part.text !== '');
}

/** For a model without markers: what stands before the caret, and nothing else. */
export function renderPrefixOnly(document: FimDocument): RolePart[] {
  return document.prefix === '' ? [] : [{ text: document.prefix, role: 'prefix' }];
}

/** Text in which the given spellings are markers and the rest is text. */
export function splitMarkers(text: string, markers: readonly string[]): RolePart[] {
  if (markers.length === 0) return text === '' ? [] : [{ text, role: 'prefix' }];
  const longestFirst = [...markers].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(`(${longestFirst.map(escapePattern).join('|')})`);
  return text
    .split(pattern)
    .map((piece, index): RolePart =>
      index % 2 === 1 ? { marker: piece, role: 'marker' } : { text: piece, role: 'prefix' },
    )
    .filter((part) => 'marker' in part || part.text !== '');
}

/** The prompt as a client would have to write it; for comparison and for records, not for tokenising. */
export function promptText(parts: readonly PromptPart[]): string {
  return parts.map((part) => ('marker' in part ? part.marker : part.text)).join('');
}

function body(template: FimTemplate, { prefix, suffix }: FimDocument): RolePart[] {
  const marker = (name: string): RolePart => ({ marker: name, role: 'marker' });
  const before: RolePart = { text: prefix, role: 'prefix' };
  const after: RolePart = { text: suffix, role: 'suffix' };
  if (template.middle === null) return [marker(template.suffix), after, marker(template.prefix), before];
  if (template.order === 'spm') {
    return [marker(template.prefix), marker(template.suffix), after, marker(template.middle), before];
  }
  return [marker(template.prefix), before, marker(template.suffix), after, marker(template.middle)];
}

function requiredMarkers(family: FimFamily): string[] {
  return [family.prefix, family.suffix, ...(family.middle === null ? [] : [family.middle])];
}

function allMarkers(family: FimFamily): string[] {
  return [...requiredMarkers(family), ...family.file, ...(family.repo === null ? [] : [family.repo])];
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Takes apart fill-in-the-middle prompts that clients send as text in some family's markers. */
import { FIM_FAMILIES, spellingInText, type FimFamily } from './fimFamilies.ts';
import type { FimDocument } from './fim.ts';

interface TakenApart {
  family: string;
  document: FimDocument;
}

/** A line that is a path and hardly code: no blank, quote or bracket, a dot or slash inside, a word's end. */
const PATH_LINE = /^(?=[^\n]*[./])([^\s<>"'`(){}[\];,=:]*\w)\n/;

/**
 * The document inside a complete FIM prompt, in either order, or null when the text is none: a marker is missing, or
 * one stands there twice, so that it can't be told which is the marker and which is text.
 */
export function takeApartFim(prompt: string): TakenApart | null {
  for (const family of FIM_FAMILIES) {
    const document = takeApart(family, prompt);
    if (document !== null) return { family: family.name, document };
  }
  return null;
}

function takeApart(family: FimFamily, prompt: string): FimDocument | null {
  const cut = cutBody(family, prompt);
  if (cut === null) return null;
  const { front, prefix, suffix } = cut;
  if (!family.needs.every((marker) => front.includes(marker))) return null;
  const text =
    family.lead !== '' && prefix.startsWith(family.lead) ? prefix.slice(family.lead.length) : prefix;
  return header(family, front, { prefix: text, suffix });
}

interface Body {
  /** What stands before the first FIM marker. */
  front: string;
  prefix: string;
  suffix: string;
}

function cutBody(family: FimFamily, prompt: string): Body | null {
  const prefix = onlyPlace(prompt, family.prefix);
  const suffix = onlyPlace(prompt, family.suffix);
  if (prefix === null || suffix === null) return null;
  const front = prompt.slice(0, Math.min(prefix.start, suffix.start));
  if (family.middle === null) {
    if (prefix.start < suffix.end) return null;
    return { front, prefix: prompt.slice(prefix.end), suffix: prompt.slice(suffix.end, prefix.start) };
  }
  const middle = onlyPlace(prompt, family.middle);
  if (middle === null || middle.start < prefix.end || middle.start < suffix.end) return null;
  // What follows the middle marker is the beginning of the middle: in SPM order the prefix itself, else text that
  // the completion has to go on from. Both times it stands right before the caret.
  const written = prompt.slice(middle.end);
  if (prefix.start < suffix.start) {
    if (suffix.start < prefix.end) return null;
    return {
      front,
      prefix: prompt.slice(prefix.end, suffix.start) + written,
      suffix: prompt.slice(suffix.end, middle.start),
    };
  }
  if (prefix.start < suffix.end) return null;
  return {
    front,
    prefix: prompt.slice(prefix.end, middle.start) + written,
    suffix: prompt.slice(suffix.end, prefix.start),
  };
}

/** Adds what stands before the first FIM marker: a repository's name, other files, the document's path. */
function header(family: FimFamily, front: string, document: FimDocument): FimDocument {
  switch (family.layout) {
    case 'header':
      return markedFiles(family, front, document);
    case 'pathInPrefix':
      return filesBeforePrefix(family, front, document);
    case 'between':
      return filesBetween(family, front, document);
    case 'comments':
    case 'none':
      return front === '' ? document : { leading: front, ...document };
  }
}

function markedFiles(family: FimFamily, front: string, document: FimDocument): FimDocument {
  const [before, ...entries] = front.split(family.file!);
  const files = entries.map(fileOf);
  const last = files.at(-1);
  if (last?.text !== '') return { ...repository(family, before!), ...others(files), ...document };
  return { ...repository(family, before!), ...others(files.slice(0, -1)), path: last.path, ...document };
}

/** The marker that stands right before the prefix belongs to the document, whose path is the prefix's first line. */
function filesBeforePrefix(family: FimFamily, front: string, document: FimDocument): FimDocument {
  const [before, ...entries] = front.split(family.file!);
  const isOwn = entries.at(-1) === '';
  const files = (isOwn ? entries.slice(0, -1) : entries).map(fileOf);
  const path = isOwn ? PATH_LINE.exec(document.prefix)?.[1] : undefined;
  const prefix = path === undefined ? document.prefix : document.prefix.slice(path.length + 1);
  return {
    ...repository(family, before!),
    ...others(files),
    ...(path === undefined ? {} : { path }),
    ...document,
    prefix,
  };
}

function filesBetween(family: FimFamily, front: string, document: FimDocument): FimDocument {
  const entries = front.split(family.file!);
  const last = entries.pop()!;
  const path = PATH_LINE.exec(last)?.[1];
  const isPath = path !== undefined && last === `${path}\n`;
  return {
    ...others(entries.map(fileOf)),
    ...(isPath ? { path } : last === '' ? {} : { leading: last }),
    ...document,
  };
}

function fileOf(entry: string): { path: string; text: string } {
  const end = entry.indexOf('\n');
  return end < 0 ? { path: entry, text: '' } : { path: entry.slice(0, end), text: entry.slice(end + 1) };
}

function others(files: { path: string; text: string }[]): { files?: { path: string; text: string }[] } {
  return files.length === 0 ? {} : { files };
}

function repository(family: FimFamily, text: string): { leading?: string; repo?: string } {
  if (family.repo !== null && text.startsWith(family.repo)) {
    const name = text.slice(family.repo.length);
    return { repo: name.endsWith('\n') ? name.slice(0, -1) : name };
  }
  return text === '' ? {} : { leading: text };
}

function onlyPlace(text: string, marker: string): { start: number; end: number } | null {
  const spelling = spellingInText(marker);
  const start = text.indexOf(spelling);
  if (start < 0 || text.indexOf(spelling, start + 1) >= 0) return null;
  return { start, end: start + spelling.length };
}

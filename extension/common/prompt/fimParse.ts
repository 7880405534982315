/** Takes apart fill-in-the-middle prompts that clients send as text in some family's markers. */
import { FIM_FAMILIES, type FimFamily } from './fimFamilies.ts';
import type { FimDocument } from './fim.ts';

interface TakenApart {
  family: string;
  document: FimDocument;
}

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
  const spelling = family.inText ?? family;
  const prefix = onlyPlace(prompt, spelling.prefix);
  const suffix = onlyPlace(prompt, spelling.suffix);
  if (prefix === null || suffix === null) return null;
  if (spelling.middle === null) {
    if (prefix.start < suffix.end) return null;
    return {
      ...header(family, prompt.slice(0, suffix.start)),
      prefix: prompt.slice(prefix.end),
      suffix: prompt.slice(suffix.end, prefix.start),
    };
  }
  const middle = onlyPlace(prompt, spelling.middle);
  if (middle === null || middle.start < prefix.end || middle.start < suffix.end) return null;
  // What follows the middle marker is the beginning of the middle: in SPM order the prefix itself, else text that
  // the completion has to go on from. Both times it stands right before the caret.
  const written = prompt.slice(middle.end);
  const first = prefix.start < suffix.start ? prefix : suffix;
  const head = header(family, prompt.slice(0, first.start));
  if (first === prefix) {
    if (suffix.start < prefix.end) return null;
    return {
      ...head,
      prefix: prompt.slice(prefix.end, suffix.start) + written,
      suffix: prompt.slice(suffix.end, middle.start),
    };
  }
  if (prefix.start < suffix.end) return null;
  return {
    ...head,
    prefix: prompt.slice(prefix.end, middle.start) + written,
    suffix: prompt.slice(suffix.end, prefix.start),
  };
}

/** What stands before the first FIM marker: a repository's name, other files, the document's path. */
function header(family: FimFamily, text: string): Omit<FimDocument, 'prefix' | 'suffix'> {
  const marker = family.file.find((candidate) => text.includes(candidate));
  if (marker === undefined) return { ...repository(family, text) };
  const [before, ...entries] = text.split(marker);
  const files = entries.map((entry) => {
    const end = entry.indexOf('\n');
    return end < 0 ? { path: entry, text: '' } : { path: entry.slice(0, end), text: entry.slice(end + 1) };
  });
  const last = files.at(-1)!;
  const path = last.text === '' ? last.path : undefined;
  const others = path === undefined ? files : files.slice(0, -1);
  return {
    ...repository(family, before!),
    ...(path === undefined ? {} : { path }),
    ...(others.length === 0 ? {} : { files: others }),
  };
}

function repository(family: FimFamily, text: string): { leading?: string; repo?: string } {
  if (family.repo !== null && text.startsWith(family.repo)) return { repo: text.slice(family.repo.length) };
  return text === '' ? {} : { leading: text };
}

function onlyPlace(text: string, marker: string): { start: number; end: number } | null {
  const start = text.indexOf(marker);
  if (start < 0 || text.indexOf(marker, start + 1) >= 0) return null;
  return { start, end: start + marker.length };
}

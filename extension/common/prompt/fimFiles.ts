/** Paths, a repository's name and other files, each family's own way. */
import type { FimDocument, FimTemplate, RolePart } from './fim.ts';

export interface FileParts {
  /** Before the first FIM marker. */
  front: RolePart[];
  /** Before the document's prefix, wherever the template puts that. */
  inPrefix: RolePart[];
}

/** What the template shows of everything but the text around the caret; what the model has no way for is left out. */
export function fileParts(template: FimTemplate, document: FimDocument): FileParts {
  const { file } = template;
  switch (template.layout) {
    case 'header':
      return header(template, file!, document);
    case 'pathInPrefix':
      return pathInPrefix(template, file!, document);
    case 'between':
      return between(file!, document);
    case 'comments':
      return comments(document);
    case 'none':
      return { front: [], inPrefix: [] };
  }
}

function header(template: FimTemplate, file: string, { repo, files = [], path }: FimDocument): FileParts {
  return {
    front: [
      ...repository(template, repo),
      ...files.flatMap((other): RolePart[] => [
        { marker: file, role: 'file' },
        { text: lines(`${other.path}\n${other.text}`), role: 'file' },
      ]),
      ...(path ? [{ marker: file, role: 'marker' } as const, ownPath(path)] : []),
    ],
    inPrefix: [],
  };
}

function pathInPrefix(
  template: FimTemplate,
  file: string,
  { repo, files = [], path }: FimDocument,
): FileParts {
  const shows = path !== undefined || files.length > 0 || (repo !== undefined && template.repo !== null);
  return {
    front: [
      ...repository(template, repo),
      ...files.flatMap((other): RolePart[] => [
        { marker: file, role: 'file' },
        { text: `${other.path}\n${other.text}`, role: 'file' },
      ]),
      ...(shows ? [{ marker: file, role: 'marker' } as const] : []),
    ],
    inPrefix: path ? [ownPath(path)] : [],
  };
}

function between(file: string, { files = [], path }: FimDocument): FileParts {
  return {
    front: [
      ...files.flatMap((other): RolePart[] => [
        { text: `${other.path}\n${other.text}`, role: 'file' },
        { marker: file, role: 'file' },
      ]),
      ...(path ? [ownPath(path)] : []),
    ],
    inPrefix: [],
  };
}

function comments({ files = [], path }: FimDocument): FileParts {
  if (files.length === 0) return { front: [], inPrefix: [] };
  return {
    front: [],
    inPrefix: [
      ...files.map((other): RolePart => ({ text: lines(`#${other.path}\n${other.text}`), role: 'file' })),
      ...(path ? [ownPath(`#${path}`)] : []),
    ],
  };
}

function repository({ repo: marker, repoEnd }: FimTemplate, repo: string | undefined): RolePart[] {
  if (marker === null || !repo) return [];
  return [
    { marker, role: 'file' },
    { text: `${repo}${repoEnd}`, role: 'file' },
  ];
}

function ownPath(path: string): RolePart {
  return { text: `${path}\n`, role: 'path' };
}

/** The next path or marker begins a line. */
function lines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

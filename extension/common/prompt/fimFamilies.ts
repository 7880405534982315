/**
 * Fill-in-the-middle formats by model family, as their makers published them (docs/templates.md names where). A family
 * is recognised by the set of its markers, in a vocabulary or in a prompt; never by a file's or a model's name, which
 * anyone can change.
 */

/** Order of the parts: prefix, suffix, middle or suffix, prefix, middle. */
export type FimOrder = 'psm' | 'spm';

/** How a model was shown paths and other files; fimFiles.ts renders each. */
export type FileLayout =
  /** `<file>PATH⏎TEXT<file>PATH⏎<prefix>…` */
  | 'header'
  /** `<file>PATH⏎TEXT<file><prefix>PATH⏎…` */
  | 'pathInPrefix'
  /** `PATH⏎TEXT<file>PATH⏎<prefix>…` */
  | 'between'
  /** `<prefix>#PATH⏎TEXT#PATH⏎…`; a document alone has no path. */
  | 'comments'
  /** Nothing is published: other files and paths are left out. */
  | 'none';

export interface FimFamily {
  name: string;
  /** Markers as the vocabulary spells them; `middle` is null where the prefix comes last and ends the prompt. */
  prefix: string;
  suffix: string;
  middle: string | null;
  /** What tells the family from others with the same three markers: all of these are there. */
  needs: string[];
  layout: FileLayout;
  /** Marker of a file; null in the layouts that have none. */
  file: string | null;
  repo: string | null;
  /** What stands between a repository's name and the first file. */
  repoEnd: '\n' | '';
  /** Put in front of the prefix: SentencePiece begins a text with a space, and the model was trained on that. */
  lead: ' ' | '';
  /** Other markers that stand in prompts of the family or end its completions. */
  more: string[];
}

const NO_FILES = { layout: 'none', file: null, repo: null, repoEnd: '', lead: '' } as const;
const PIPED = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };
const PLAIN = { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' };

/** The first family of which everything is there is the model's: those that need more come first. */
export const FIM_FAMILIES: readonly FimFamily[] = [
  {
    name: 'codegemma',
    ...PIPED,
    needs: ['<|file_separator|>'],
    ...NO_FILES,
    layout: 'between',
    file: '<|file_separator|>',
    more: [],
  },
  { name: 'granite4', ...PIPED, needs: ['<|filename|>', '<|reponame|>'], ...NO_FILES, more: ['<|fim_pad|>'] },
  {
    name: 'qwen',
    ...PIPED,
    needs: [],
    layout: 'header',
    file: '<|file_sep|>',
    repo: '<|repo_name|>',
    repoEnd: '\n',
    lead: '',
    more: ['<|fim_pad|>'],
  },
  {
    name: 'codeqwen',
    ...PLAIN,
    needs: ['<reponame>', '<file_sep>'],
    layout: 'header',
    file: '<file_sep>',
    repo: '<reponame>',
    repoEnd: '\n',
    lead: '',
    more: ['<fim_pad>'],
  },
  {
    name: 'starcoder2',
    ...PLAIN,
    needs: ['<file_sep>'],
    layout: 'pathInPrefix',
    file: '<file_sep>',
    repo: '<repo_name>',
    repoEnd: '',
    lead: '',
    more: ['<fim_pad>'],
  },
  // StarCoder, Refact and Granite Code. They know a path by <filename>, but not where it stands in a FIM prompt.
  {
    name: 'starcoder',
    ...PLAIN,
    needs: [],
    ...NO_FILES,
    more: ['<fim_pad>', '<filename>', '<reponame>', '<gh_stars>'],
  },
  {
    name: 'santacoder',
    prefix: '<fim-prefix>',
    suffix: '<fim-suffix>',
    middle: '<fim-middle>',
    needs: [],
    ...NO_FILES,
    more: ['<fim-pad>'],
  },
  {
    name: 'codellama',
    prefix: '▁<PRE>',
    suffix: '▁<SUF>',
    middle: '▁<MID>',
    needs: [],
    ...NO_FILES,
    lead: ' ',
    more: ['▁<EOT>'],
  },
  {
    name: 'deepseek',
    prefix: '<｜fim▁begin｜>',
    suffix: '<｜fim▁hole｜>',
    middle: '<｜fim▁end｜>',
    needs: [],
    ...NO_FILES,
    layout: 'comments',
    more: [],
  },
  {
    name: 'glm',
    prefix: '<|code_prefix|>',
    suffix: '<|code_suffix|>',
    middle: '<|code_middle|>',
    needs: [],
    ...NO_FILES,
    more: [],
  },
  {
    name: 'codestral',
    prefix: '[PREFIX]',
    suffix: '[SUFFIX]',
    middle: null,
    needs: [],
    ...NO_FILES,
    more: ['[MIDDLE]'],
  },
];

/** The markers without which the family's format can't be rendered or told from another's. */
export function requiredMarkers(family: FimFamily): string[] {
  return [family.prefix, family.suffix, ...(family.middle === null ? [] : [family.middle]), ...family.needs];
}

/** Every marker of the family, each once. */
export function allMarkers(family: FimFamily): string[] {
  const optional = [family.file, family.repo].filter((marker) => marker !== null);
  return [...new Set([...requiredMarkers(family), ...optional, ...family.more])];
}

/** The markers of all families. */
export const FIM_MARKERS: ReadonlySet<string> = new Set(FIM_FAMILIES.flatMap(allMarkers));

/**
 * How a client writes a marker in a text. SentencePiece spells the space in front of a word `▁`; in front of a whole
 * prompt there is none.
 */
export function spellingInText(marker: string): string {
  if (marker === '▁<PRE>') return '<PRE>';
  return marker.replace(/^▁/, ' ');
}

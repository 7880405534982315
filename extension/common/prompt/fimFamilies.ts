/**
 * Fill-in-the-middle markers by model family. A family is recognised by its markers, in a vocabulary or in a prompt;
 * never by a file's or a model's name, which anyone can change.
 */

export interface FimFamily {
  name: string;
  /** Markers as the vocabulary spells them; `middle` is null where the prefix comes last and ends the prompt. */
  prefix: string;
  suffix: string;
  middle: string | null;
  /** Markers as clients write them in a prompt, where that differs from the vocabulary's spelling. */
  inText?: { prefix: string; suffix: string; middle: string };
  /** Markers in front of a file's path, the first known one is used. */
  file: string[];
  repo: string | null;
}

/** Order of the parts: prefix, suffix, middle or suffix, prefix, middle. */
export type FimOrder = 'psm' | 'spm';

export const FIM_FAMILIES: readonly FimFamily[] = [
  {
    name: 'qwen',
    prefix: '<|fim_prefix|>',
    suffix: '<|fim_suffix|>',
    middle: '<|fim_middle|>',
    file: ['<|file_sep|>', '<|file_separator|>'],
    repo: '<|repo_name|>',
  },
  {
    name: 'starcoder',
    prefix: '<fim_prefix>',
    suffix: '<fim_suffix>',
    middle: '<fim_middle>',
    file: ['<file_sep>', '<filename>'],
    repo: '<repo_name>',
  },
  {
    name: 'santacoder',
    prefix: '<fim-prefix>',
    suffix: '<fim-suffix>',
    middle: '<fim-middle>',
    file: [],
    repo: null,
  },
  {
    name: 'codellama',
    prefix: '▁<PRE>',
    suffix: '▁<SUF>',
    middle: '▁<MID>',
    inText: { prefix: '<PRE> ', suffix: ' <SUF>', middle: ' <MID>' },
    file: [],
    repo: null,
  },
  {
    name: 'deepseek',
    prefix: '<｜fim▁begin｜>',
    suffix: '<｜fim▁hole｜>',
    middle: '<｜fim▁end｜>',
    file: [],
    repo: null,
  },
  {
    name: 'glm',
    prefix: '<|code_prefix|>',
    suffix: '<|code_suffix|>',
    middle: '<|code_middle|>',
    file: [],
    repo: null,
  },
  {
    name: 'codestral',
    prefix: '[PREFIX]',
    suffix: '[SUFFIX]',
    middle: null,
    file: [],
    repo: null,
  },
];

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ModelFacts } from '../inference/look.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

const MEGABYTE = 1e6;
const HASH_FILE = 'SHA256SUMS';

/** Findings about a model file that could be read. */
export function modelFindings(path: string, model: ModelFacts): Finding[] {
  const { name, architecture, bytes, contextTokens, sha256, fim, untrainable } = model;
  return [
    ok(
      'model',
      `${path}: ${name}, ${architecture}, ${(bytes / MEGABYTE).toFixed(0)} MB, ${contextTokens} tokens of context, SHA-256 ${sha256}.`,
    ),
    ...hashFindings(path, sha256),
    fim === null
      ? warning(
          'fim',
          'The model is shown the text before the caret alone: it has no fill-in-the-middle markers, or the template is set to none.',
          'Choose a model with markers, for example Qwen2.5-Coder (docs/templates.md).',
        )
      : ok('fim', `Fill-in-the-middle template: ${fim}.`),
    ...(untrainable === null
      ? []
      : [
          warning(
            'model',
            `The model can be served and nothing can be learned with it: ${untrainable}`,
            'Choose another model (docs/models.md); `hone inspect FILE` tells before anything is switched.',
          ),
        ]),
  ];
}

/** Against the list beside the file, where there is one. */
function hashFindings(path: string, sha256: string): Finding[] {
  let list: string;
  try {
    list = readFileSync(join(dirname(path), HASH_FILE), 'utf8');
  } catch {
    return [];
  }
  const line = list.split('\n').find((one) => one.trim().endsWith(` ${basename(path)}`));
  const wanted = line?.trim().split(/\s+/)[0];
  if (wanted === undefined) return [];
  if (wanted === sha256) return [ok('modelHash', `The model is the one of ${HASH_FILE}.`)];
  return [
    problem(
      'modelHash',
      `The model is not the one of ${HASH_FILE} beside it, whose hash is ${wanted}.`,
      'It is damaged or was replaced: fetch it again.',
    ),
  ];
}

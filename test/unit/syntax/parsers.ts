import { fileURLToPath } from 'node:url';
import { BLOCK_LANGUAGES } from '../../../extension/common/syntax/languages.ts';
import type { Syntax } from '../../../extension/common/syntax/types.ts';
import { Grammars } from '../../../extension/node/grammars.ts';

const warnings: string[] = [];
const grammars = new Grammars(
  fileURLToPath(import.meta.url),
  (message) => warnings.push(message),
  () => 0,
);

/** The real grammar of a language. */
export async function syntaxFor(languageId: string): Promise<Syntax> {
  await grammars.load(BLOCK_LANGUAGES[languageId]!.grammar);
  const syntax = grammars.syntaxOf(languageId);
  if (syntax === undefined) throw new Error(`No grammar of ${languageId}: ${warnings.join('; ')}`);
  return syntax;
}

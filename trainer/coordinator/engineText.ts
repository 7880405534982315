import type { Engine } from '../inference/types.ts';
import { buildPrompt, type PromptSource } from '../server/inference/prompt.ts';
import type { TextTools } from './text.ts';

/**
 * The engine's tokenizer, with prompts built as the inference service builds them.
 *
 * @param roomTokens Tokens of the context that are left free behind a prompt.
 */
export function engineText(engine: Engine, roomTokens: number): TextTools {
  const build = (source: PromptSource): number[] => buildPrompt(engine, source, roomTokens).tokens;
  return {
    tokenize: (text) => engine.tokenize(text),
    detokenize: (tokens) => engine.detokenize(tokens),
    promptTokens: (prompt) => build({ kind: 'raw', prompt }),
    documentTokens: (document) => build({ kind: 'document', document }),
    endOfText: engine.model.endOfText,
  };
}

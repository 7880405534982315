import type { ScoreItem } from '../../extension/common/contracts/index.ts';
import samples from '../learning/general/general.json' with { type: 'json' };
import type { TextTools } from './text.ts';

/** Places in code that is none of the developer's, and what stands there, as texts to score. */
export function generalItems(text: TextTools): ScoreItem[] {
  return samples.map(({ path, prefix, suffix, middle }, index) => ({
    id: `general:${index}:${path}`,
    prompt: text.documentTokens({ path, prefix, suffix }),
    target: text.tokenize(middle),
  }));
}

import type { Sample, ScoreItem } from '../../extension/common/contracts/index.ts';
import gatePlaces from '../learning/general/general.json' with { type: 'json' };
import taughtPlaces from '../learning/general/replay.json' with { type: 'json' };
import type { TextTools } from './text.ts';

/** Places in code that is none of the developer's, and what stands there, as texts to score. */
export function generalItems(text: TextTools): ScoreItem[] {
  return gatePlaces.map(({ path, prefix, suffix, middle }, index) => ({
    id: `general:${index}:${path}`,
    prompt: text.documentTokens({ path, prefix, suffix }),
    target: text.tokenize(middle),
  }));
}

/**
 * General code to teach beside a developer's events, so that nothing else is unlearned: places of other packages than
 * the gate asks about. An adapter's versions go through all of them in turn.
 *
 * @param count of an update
 * @param version that the update makes
 */
export function generalSamples(text: TextTools, count: number, version: number): Sample[] {
  return Array.from({ length: count }, (_, i) => {
    const index = ((version - 1) * count + i) % taughtPlaces.length;
    const { path, prefix, suffix, middle } = taughtPlaces[index]!;
    return {
      eventId: `general:${index}:${path}`,
      prompt: text.documentTokens({ path, prefix, suffix }),
      supervised: { source: 'general', tokens: [...text.tokenize(middle), text.endOfText], weight: 1 },
    };
  });
}

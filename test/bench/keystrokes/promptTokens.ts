/** How much of its prompt a keystroke makes the model read, with two ways to cut the window. */
import {
  DEFAULT_WINDOW_BUDGET,
  promptWindow,
  type WindowBudget,
} from '../../../extension/common/prompt/window.ts';
import { buildPrompt } from '../../../trainer/server/inference/prompt.ts';
import type { Engine } from '../../../trainer/inference/types.ts';
import { table } from '../../../trainer/replay/table.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import type { Keystroke } from './session.ts';

const WINDOWS: [name: string, budget: WindowBudget][] = [
  ['moves in steps', DEFAULT_WINDOW_BUDGET],
  ['cut anew at each key', { ...DEFAULT_WINDOW_BUDGET, stepTokens: 0 }],
];

/** Every keystroke asks, as if nothing was answered from the editor's own cache: the most that it can cost. */
export async function measurePromptTokens(
  engine: Engine,
  path: string,
  strokes: readonly Keystroke[],
): Promise<string> {
  const rows = [['window', 'prompt tokens', 'evaluated, median', 'p95', 'mean']];
  for (const [name, budget] of WINDOWS) {
    const evaluated: number[] = [];
    const lengths: number[] = [];
    for (const { text, caret } of strokes) {
      const { prefix, suffix } = promptWindow(text, caret, path, budget);
      const prompt = buildPrompt(engine, { kind: 'document', document: { prefix, suffix, path } }, 1).tokens;
      const { cachedTokens } = await engine.generate({
        ...{ prompt, maxTokens: 1, temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1, stop: [] },
      });
      lengths.push(prompt.length);
      evaluated.push(prompt.length - cachedTokens);
    }
    // The first request reads all of its prompt either way.
    const counted = evaluated.slice(1);
    const mean = counted.reduce((sum, tokens) => sum + tokens, 0) / counted.length;
    rows.push([
      name,
      String(quantile(lengths, 0.5)),
      String(quantile(counted, 0.5)),
      String(quantile(counted, 0.95)),
      mean.toFixed(1),
    ]);
  }
  return table(rows);
}

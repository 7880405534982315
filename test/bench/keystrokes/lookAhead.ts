/** What look-ahead costs the next request, and what it spares the one after Tab. */
import { setTimeout as sleep } from 'node:timers/promises';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import type { Engine, GenerateRequest, GenerateResult } from '../../../trainer/inference/types.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { milliseconds, table } from '../../../trainer/replay/table.ts';
import { buildPrompt } from '../../../trainer/server/inference/prompt.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import type { Keystroke } from './session.ts';

/** As in the editor: until look-ahead begins, and the next key at any time from then on. */
const READING_MS = 200;
const KEY_SPREAD_MS = 300;
const MAX_TOKENS = 12;
const SEED = 1;

/**
 * At each keystroke's place a suggestion is made and read; then another key comes, which the suggestion doesn't
 * have. Each place is tried with look-ahead and without, in turns, so that whatever else the computer does meets both.
 */
export async function measureLookAhead(
  engine: Engine,
  path: string,
  strokes: readonly Keystroke[],
): Promise<string> {
  /** Milliseconds from the next request to its first token, by place. */
  const next = { off: new Map<number, number>(), on: new Map<number, number>() };
  const ready: number[] = [];
  const afterTab: number[] = [];
  for (const turn of [0, 1]) {
    for (const [index, { text, caret }] of strokes.entries()) {
      const window = promptWindow(text, caret, path);
      const answer = await engine.generate(requestAt(engine, text, caret, path));
      const shown = applyFilters(answer.text, window).text;
      if (shown === '') continue;
      const isOn = (index + turn) % 2 === 1;
      const accepted = text.slice(0, caret) + shown + text.slice(caret);
      const following = requestAt(engine, accepted, caret + shown.length, path);
      await sleep(READING_MS);
      const ahead = isOn ? timed(engine, { ...following, priority: 'lookahead' }) : null;
      await sleep(keyedRandom(SEED, `key ${index}`).share() * KEY_SPREAD_MS);
      const typed = `${text.slice(0, caret)}~${text.slice(caret)}`;
      const { timings } = await engine.generate({
        ...requestAt(engine, typed, caret + 1, path),
        maxTokens: 1,
      });
      next[isOn ? 'on' : 'off'].set(index, timings.firstToken);
      const prepared = await ahead;
      if (prepared && prepared.result.finishReason !== 'cancelled') ready.push(READING_MS + prepared.ms);
      if (!isOn) {
        // Back to the suggestion: what Tab costs where nothing was prepared.
        await engine.generate(requestAt(engine, text, caret, path));
        afterTab.push((await engine.generate(following)).timings.total);
      }
    }
  }
  const row = (name: string, values: number[]): string[] => [
    name,
    String(values.length),
    milliseconds(quantile(values, 0.5)),
    milliseconds(quantile(values, 0.95)),
  ];
  const later = [...next.on].map(([index, ms]) => ms - next.off.get(index)!);
  return table([
    ['', 'n', 'median', 'p95'],
    row('next request, first token, look-ahead off', [...next.off.values()]),
    row('next request, first token, look-ahead on', [...next.on.values()]),
    row('the same place by place, on minus off', later),
    row('request after Tab, look-ahead off', afterTab),
    row('prepared, from the display on (of those not overtaken)', ready),
  ]);
}

function requestAt(engine: Engine, text: string, caret: number, path: string): GenerateRequest {
  const { prefix, suffix } = promptWindow(text, caret, path);
  return {
    prompt: buildPrompt(engine, { kind: 'document', document: { prefix, suffix, path } }, MAX_TOKENS).tokens,
    ...{ maxTokens: MAX_TOKENS, temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1, stop: ['\n'] },
  };
}

async function timed(
  engine: Engine,
  request: GenerateRequest,
): Promise<{ ms: number; result: GenerateResult }> {
  const began = performance.now();
  const result = await engine.generate(request);
  return { ms: performance.now() - began, result };
}

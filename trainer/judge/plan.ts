/** Which items each step of a judged run takes, and what decides a run's result. */
import { shuffled } from '../../extension/common/random.ts';
import { keyedRandom } from '../replay/random.ts';
import { hashText } from '../store/encoding.ts';
import type { JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';

interface Cursor {
  /** Passes over the data that are done. */
  epoch: number;
  /** Items of the pass under way that are done. */
  item: number;
}

/** Steps of the run: enough for the epochs, the last one filled up with items of the next; at most `maxSteps`. */
export function plannedSteps({ schedule, rollout }: JudgeConfig, items: number): number {
  const steps = Math.ceil((items * schedule.epochs) / rollout.promptsPerStep);
  return schedule.maxSteps < 0 ? steps : Math.min(steps, schedule.maxSteps);
}

/** Whether a step is one of every so many; never for 0 and less. */
export function isEvery(step: number, every: number): boolean {
  return every > 0 && step % every === 0;
}

/** Where the data stands after so many steps. */
export function cursorAfter(steps: number, items: number, { rollout }: JudgeConfig): Cursor {
  const done = steps * rollout.promptsPerStep;
  return { epoch: Math.floor(done / items), item: done % items };
}

/** Items of the step that begins at the cursor; every pass has an order of its own, by the seed. */
export function itemsOfStep(
  items: readonly JudgeItem[],
  { epoch, item }: Cursor,
  { rollout, seed }: JudgeConfig,
): JudgeItem[] {
  const chosen: JudgeItem[] = [];
  for (let pass = epoch, from = item; chosen.length < rollout.promptsPerStep; pass++, from = 0) {
    const order = shuffled(items, keyedRandom(seed, `order ${pass}`));
    chosen.push(...order.slice(from, from + rollout.promptsPerStep - chosen.length));
  }
  return chosen;
}

/**
 * Of everything that decides a run's result, its length and the judge's address excepted: a run can be made longer.
 *
 * @param model the model's hash and how it is asked
 */
export function fingerprintOf(
  { seed, rollout, update, reward, schedule }: JudgeConfig,
  data: readonly (readonly JudgeItem[])[],
  model: readonly (string | number)[],
): string {
  const { judge, validationJudge, model: judgeModel, maxAnswerTokens } = reward;
  const texts = data.map((items) => items.map(({ prompt, solutions }) => [prompt, solutions]));
  const settings = { seed, rollout, update, validateEvery: schedule.validateEvery };
  return hashText(
    JSON.stringify([model, texts, settings, judge, validationJudge, judgeModel ?? null, maxAnswerTokens]),
  );
}

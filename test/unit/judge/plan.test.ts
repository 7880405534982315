import assert from 'node:assert/strict';
import { judgeConfigSchema } from '../../../trainer/judge/config.ts';
import type { JudgeItem } from '../../../trainer/judge/dataset.ts';
import {
  cursorAfter,
  fingerprintOf,
  isEvery,
  itemsOfStep,
  plannedSteps,
} from '../../../trainer/judge/plan.ts';

const items: JudgeItem[] = Array.from({ length: 10 }, (_, i) => ({
  id: `${i}`,
  prompt: `p${i}`,
  document: { prefix: `p${i}`, suffix: '' },
  solutions: [`s${i}`],
}));
const configOf = (options: object) => judgeConfigSchema.parse({ rollout: { promptsPerStep: 4 }, ...options });
const config = configOf({});

describe('the plan of a judged run', () => {
  it('takes every item once in each pass, in an order of its own', () => {
    const taken = Array.from({ length: 5 }, (_, step) =>
      itemsOfStep(items, cursorAfter(step, items.length, config), config),
    ).flat();
    const passes = [taken.slice(0, 10), taken.slice(10)].map((pass) => pass.map(({ id }) => id));
    for (const pass of passes)
      assert.deepEqual(
        [...pass].sort(),
        items.map(({ id }) => id),
      );
    assert.notDeepEqual(passes[0], passes[1]);
    assert.notDeepEqual(
      passes[0],
      items.map(({ id }) => id),
    );
  });

  it('follows from the seed', () => {
    const first = (seed: number): string[] =>
      itemsOfStep(items, { epoch: 0, item: 0 }, configOf({ seed })).map(({ id }) => id);
    assert.deepEqual(first(1), first(1));
    assert.notDeepEqual(first(1), first(2));
  });

  it('fills a step up from as many passes as it takes', () => {
    const wide = configOf({ rollout: { promptsPerStep: 25 } });
    assert.equal(itemsOfStep(items, { epoch: 0, item: 7 }, wide).length, 25);
    assert.deepEqual(cursorAfter(1, items.length, wide), { epoch: 2, item: 5 });
  });

  for (const [schedule, steps] of [
    [{}, 3],
    [{ epochs: 2 }, 5],
    [{ epochs: 0.5 }, 2],
    [{ epochs: 2, maxSteps: 4 }, 4],
    [{ epochs: 2, maxSteps: 40 }, 5],
    [{ maxSteps: 0 }, 0],
    [{ maxSteps: -1 }, 3],
  ] as const)
    it(`has ${steps} steps for ${JSON.stringify(schedule)}`, () =>
      assert.equal(plannedSteps(configOf({ schedule }), items.length), steps));

  it('knows every so many steps', () => {
    assert.deepEqual(
      [4, 5, 8].map((step) => isEvery(step, 4)),
      [true, false, true],
    );
    assert.deepEqual(
      [-1, 0].map((every) => isEvery(4, every)),
      [false, false],
    );
  });

  it('is another one for other data, models and hyperparameters, and the same for other lengths and addresses', () => {
    const model = ['hash', 4096, 'auto'];
    const print = (options: object, data = [items], of = model): string =>
      fingerprintOf(configOf(options), data, of);
    const same = print({});
    for (const options of [
      { schedule: { epochs: 7, maxSteps: 3, saveEvery: 2 } },
      { outputDir: 'elsewhere', reward: { url: 'http://127.0.0.1:1', timeoutMs: 5, attempts: 2 } },
      { data: { trainPaths: ['elsewhere.jsonl'] } },
    ])
      assert.equal(print(options), same, JSON.stringify(options));
    for (const options of [
      { seed: 2 },
      { update: { learningRate: 1 } },
      { rollout: { promptsPerStep: 4, groupSize: 9 } },
      { schedule: { validateEvery: 3 } },
      { reward: { judge: 'similarity' } },
      { reward: { model: 'other' } },
    ])
      assert.notEqual(print(options), same, JSON.stringify(options));
    assert.notEqual(print({}, [items.slice(1)]), same);
    assert.notEqual(print({}, [items], ['other', 4096, 'auto']), same);
  });
});

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_ADAPTER, type AdapterRef } from '../../extension/common/contracts/index.ts';
import { learnerEntry } from '../../trainer/coordinator/learnerEntry.ts';
import { LearnerProcess } from '../../trainer/coordinator/learnerProcess.ts';
import { judgeConfigSchema } from '../../trainer/judge/config.ts';
import { readDataset } from '../../trainer/judge/dataset.ts';
import { promptTokens, sampleGroup } from '../../trainer/judge/rollout.ts';
import { prepareJudgeRun } from '../fixtures/judgeRun.ts';
import { openTinyEngine, quiet, type TinyEngine } from '../fixtures/tinyEngine.ts';

const PROMPT = '<|fim_prefix|>let a = <|fim_suffix|>;\nuse(a);\n<|fim_middle|>';
const ROLLOUT = { groupSize: 48, promptsPerStep: 2, maxTokens: 1 };
const STEPS = 6;

describe('GRPO with an exact match as reward', function () {
  this.timeout(120_000);
  let tiny: TinyEngine;
  let prompt: number[];
  /** One-token completions that the model draws, the most frequent first. */
  let drawn: { text: string; token: number; times: number }[];

  before(async () => {
    tiny = await openTinyEngine();
    const path = join(tiny.folder, 'train.jsonl');
    writeFileSync(path, JSON.stringify({ prompt: PROMPT, solutions: ['x'] }));
    const config = judgeConfigSchema.parse({ rollout: { ...ROLLOUT, groupSize: 64 } });
    const [item] = readDataset([path]);
    prompt = promptTokens(tiny.engine, item!, config);
    const group = await sampleGroup(tiny.engine, prompt, 'look', config.rollout.groupSize, config);
    const tokens = new Set(
      group.filter(({ text }) => /^\S+$/.test(text)).map(({ sampled }) => sampled.tokens[0]!),
    );
    drawn = [...tokens]
      .map((token) => {
        const own = group.filter(({ sampled }) => sampled.tokens[0] === token);
        return { text: own[0]!.text, token, times: own.length };
      })
      .sort((a, b) => b.times - a.times);
  });
  after(() => tiny.close());

  /** Log-probability of a token after the prompt, before and after a run that rewards the text. */
  const learned = async (
    rewarded: string,
    token: number,
    learningRate: number,
  ): Promise<[number, number]> => {
    const folder = join(tiny.folder, `${rewarded.codePointAt(0)}-${learningRate}`);
    const trainPath = join(tiny.folder, 'rewarded.jsonl');
    const line = JSON.stringify({ prompt: PROMPT, solutions: [rewarded] });
    writeFileSync(trainPath, `${line}\n${line}\n`);
    const run = prepareJudgeRun(folder, 'run', {
      rollout: ROLLOUT,
      schedule: { epochs: STEPS, validateEvery: -1 },
      update: { learningRate },
      data: { trainPaths: [trainPath] },
    });
    const result = await run.run();
    assert.ok(result.groups.zeroVariance < result.groups.sampled, 'some group has both');
    const scores = await scoreUnder(run.modelPath, token, [
      BASE_ADAPTER,
      { version: STEPS, path: result.adapter!, scale: 1 },
    ]);
    rmSync(folder, { recursive: true });
    return scores as [number, number];
  };
  const scoreUnder = async (modelPath: string, token: number, adapters: AdapterRef[]): Promise<number[]> => {
    const learner = new LearnerProcess({
      entry: learnerEntry(),
      silenceMs: 60_000,
      logger: quiet,
      init: {
        type: 'init',
        modelPath,
        gpu: 'cpu',
        threads: 1,
        firstLayer: 1,
        weightType: 'f32',
        endTokens: [0],
        cacheBytes: 1e6,
      },
    });
    try {
      await learner.start();
      const scores: number[] = [];
      const items = [{ id: 'rewarded', prompt, target: [token] }];
      for (const adapter of adapters)
        scores.push(
          (await learner.score({ type: 'score', id: `${adapter.version}`, items, adapter }))[0]!.logprob,
        );
      return scores;
    } finally {
      await learner.dispose();
    }
  };

  it('makes the rewarded completion likelier, and no other one', async () => {
    const [first, second] = drawn as [(typeof drawn)[0], (typeof drawn)[0]];
    const { token } = first;
    const [before, after] = await learned(first.text, token, 0.01);
    assert.ok(after > before + 0.5, `${before} → ${after}`);
    // What is drawn beside the rewarded one is blamed.
    const [, beside] = await learned(second.text, token, 0.01);
    assert.ok(beside < before, `${before} → ${beside} when another one is rewarded`);
    const [, still] = await learned(first.text, token, 0);
    assert.equal(still, before, 'at learning rate 0');
  });
});

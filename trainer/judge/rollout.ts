/** Completions of the engine: groups that are sampled, for learning and for validation, and greedy ones. */
import type { PolicySample } from '../../extension/common/contracts/index.ts';
import type { Engine, GenerateResult } from '../inference/types.ts';
import { buildPrompt } from '../server/inference/prompt.ts';
import { keyedRandom } from '../replay/random.ts';
import type { JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';

const LARGEST_SEED = 0x7fff_ffff;

export interface Rollout {
  text: string;
  /** The policy term that it becomes, its advantage still to come. */
  sampled: Omit<PolicySample, 'advantage'>;
}

/**
 * The prompt as ids, in the model's own markers and order, cut so that a completion fits behind it; secrets are
 * masked as everywhere.
 */
export function promptTokens(engine: Engine, item: JudgeItem, { rollout }: JudgeConfig): number[] {
  return buildPrompt(engine, { kind: 'raw', prompt: item.prompt }, rollout.maxTokens).tokens;
}

/**
 * `size` completions of one prompt under the engine's adapter. They depend on the adapter, the prompt and the key
 * alone: the prompt is read anew for the first, and the others go on from that.
 *
 * @param key with the seed, decides what is drawn
 */
export async function sampleGroup(
  engine: Engine,
  prompt: number[],
  key: string,
  size: number,
  { rollout, seed }: JudgeConfig,
): Promise<Rollout[]> {
  const random = keyedRandom(seed, `rollout ${key}`);
  const group: Rollout[] = [];
  while (group.length < size) {
    const result = await generate(engine, prompt, rollout, {
      temperature: rollout.temperature,
      seed: random.below(LARGEST_SEED),
      fresh: group.length === 0,
    });
    group.push({ text: result.text, sampled: policyOf(result, rollout.temperature) });
  }
  return group;
}

/** The likeliest completion, by the most likely token each time. */
export async function completeGreedily(
  engine: Engine,
  prompt: number[],
  { rollout }: JudgeConfig,
): Promise<string> {
  return (await generate(engine, prompt, rollout, { temperature: 0, seed: 0, fresh: true })).text;
}

function generate(
  engine: Engine,
  prompt: number[],
  { maxTokens, stop }: JudgeConfig['rollout'],
  sampling: { temperature: number; seed: number; fresh: boolean },
): Promise<GenerateResult> {
  return engine.generate({ prompt, maxTokens, stop, topP: 1, topK: 0, repetitionPenalty: 1, ...sampling });
}

/** Every token is the model's own doing and carries the reward, the one that ended the completion included. */
function policyOf(
  { tokens, adapterVersion, adapterScale }: GenerateResult,
  temperature: number,
): Omit<PolicySample, 'advantage'> {
  const logprobs = tokens.map(({ logprob }) => logprob);
  return {
    tokens: tokens.map(({ id }) => id),
    rewarded: tokens.length,
    weight: 1,
    temperature,
    adapterVersion,
    adapterScale,
    ...(logprobs.every((logprob) => logprob !== null) ? { engineLogprobs: logprobs } : {}),
  };
}

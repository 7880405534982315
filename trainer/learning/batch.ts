import type { PolicySample, Sample, UpdateConfig } from '../../extension/common/contracts/index.ts';
import type { HeadRequest, HeadResult } from '../model/network.ts';
import { branchTargets, promptTargets, type TokenTree } from '../model/sequence.ts';
import { baseKlLoss, crossEntropy, policyLoss } from './objective.ts';

/** Temperature of cross-entropy and of the KL to the base. */
const PLAIN_TEMPERATURE = 1;

/** Log-probabilities that a policy term compares with; computed once, before the first step. */
export interface Reference {
  /** Under the adapter that sampled, at the sampling temperature. */
  behaviour: Float32Array;
  /** Under the base model, at temperature 1. */
  base: Float32Array;
}

/** How a sample lies in its token tree. Equal token sequences share a branch. */
interface SampleLayout {
  branches: number[][];
  /** Branch of each of the sample's policy terms. */
  policyBranches: number[];
  supervisedBranch: number | null;
}

/** Sums over a mini-batch; each is divided by its own token count for the figures. */
export interface LossSums {
  policy: number;
  policyTokens: number;
  clipped: number;
  truncated: number;
  approximateKl: number;
  surprise: number;
  /** Logarithm of each policy sample's importance weight. */
  logWeights: number[];
  baseKl: number;
  baseKlTokens: number;
  correction: number;
  correctionTokens: number;
  accepted: number;
  acceptedTokens: number;
  general: number;
  generalTokens: number;
  context: number;
  contextTokens: number;
}

/** Sums before the first sample. */
export function zeroSums(): LossSums {
  return {
    policy: 0,
    policyTokens: 0,
    clipped: 0,
    truncated: 0,
    approximateKl: 0,
    surprise: 0,
    logWeights: [],
    baseKl: 0,
    baseKlTokens: 0,
    correction: 0,
    correctionTokens: 0,
    accepted: 0,
    acceptedTokens: 0,
    general: 0,
    generalTokens: 0,
    context: 0,
    contextTokens: 0,
  };
}

/** The sampled completions of a sample. */
export function policiesOf({ policy, group }: Sample): PolicySample[] {
  return [...(policy ? [policy] : []), ...(group ?? [])];
}

/** Which terms of a sample are on under the configuration, and its branches. */
export function layoutOf(sample: Sample, config: UpdateConfig): SampleLayout {
  const branches: number[][] = [];
  const place = (tokens: number[]): number => {
    const same = branches.findIndex((branch) => branch.join() === tokens.join());
    return same >= 0 ? same : branches.push(tokens) - 1;
  };
  const wantsPolicy = config.policyWeight > 0 || config.klWeight > 0;
  const { supervised } = sample;
  const policyBranches = wantsPolicy ? policiesOf(sample).map(({ tokens }) => place(tokens)) : [];
  const supervisedOn = supervised && supervisedWeight(supervised.source, config) > 0;
  const supervisedBranch = supervisedOn ? place(supervised.tokens) : null;
  return { branches, policyBranches, supervisedBranch };
}

/** Whether anything of the sample enters the loss. */
export function teaches(sample: Sample, config: UpdateConfig): boolean {
  return (
    layoutOf(sample, config).branches.length > 0 || (sample.context !== undefined && config.contextWeight > 0)
  );
}

/** One head a branch, and one for freshly typed prompt tokens; temperatures as the terms need them. */
export function headsOf(
  sample: Sample,
  layout: SampleLayout,
  tree: TokenTree,
  config: UpdateConfig,
): HeadRequest[] {
  const policies = policiesOf(sample);
  const heads: HeadRequest[] = layout.branches.map((tokens, branch) => {
    const sampledAt = policies.filter((_, i) => layout.policyBranches[i] === branch);
    const temperatures = new Set([PLAIN_TEMPERATURE, ...sampledAt.map(({ temperature }) => temperature)]);
    return { ...branchTargets(tree, branch, tokens), temperatures: [...temperatures] };
  });
  const { context } = sample;
  if (context && config.contextWeight > 0)
    heads.push({ ...promptTargets(tree, context.spans), temperatures: [PLAIN_TEMPERATURE] });
  return heads;
}

/** Token counts of each term in a mini-batch, by which the losses are averaged. */
export function termTokens(samples: Sample[], config: UpdateConfig): LossSums {
  const counts = zeroSums();
  for (const sample of samples) {
    const layout = layoutOf(sample, config);
    for (const { tokens, rewarded } of layout.policyBranches.length > 0 ? policiesOf(sample) : []) {
      counts.policyTokens += Math.min(rewarded, tokens.length);
      counts.baseKlTokens += tokens.length;
    }
    if (layout.supervisedBranch !== null) {
      const { source, tokens } = sample.supervised!;
      counts[`${source}Tokens`] += tokens.length;
    }
    if (sample.context && config.contextWeight > 0)
      for (const [from, to] of sample.context.spans) counts.contextTokens += to - from;
  }
  return counts;
}

/**
 * Derivatives of the mini-batch's loss for one sample, by head and temperature:
 * L = w_p·PPO + β·KL + (w_c·ΣCE(correction) + w_a·ΣCE(accepted) + w_g·ΣCE(general) + w_x·ΣCE(context)) /
 * (w_c·n_c + w_a·n_a + w_g·n_g + w_x·n_x).
 * PPO and KL are means over their tokens in the mini-batch. The supervised terms share one mean, in which at equal
 * weights every token counts the same: with a mean each, the few tokens of the corrections drowned the rest. Adds the
 * sample's part to `sums`.
 */
export function derivativesOf(
  sample: Sample,
  layout: SampleLayout,
  results: HeadResult[],
  batch: { config: UpdateConfig; counts: LossSums; references: Reference[] | undefined; sums: LossSums },
): Map<number, Float32Array>[] {
  const { config, counts, references, sums } = batch;
  const supervised =
    config.correctionWeight * counts.correctionTokens +
    config.acceptedWeight * counts.acceptedTokens +
    config.generalWeight * counts.generalTokens +
    config.contextWeight * counts.contextTokens;
  const derivatives = results.map(() => new Map<number, Float32Array>());
  const addTo = (head: number, temperature: number, values: Float32Array, weight: number): void => {
    const sum = derivatives[head]!.get(temperature) ?? new Float32Array(values.length);
    values.forEach((value, t) => (sum[t]! += weight * value));
    derivatives[head]!.set(temperature, sum);
  };

  for (const [i, branch] of (references ? layout.policyBranches : []).entries()) {
    const policy = policiesOf(sample)[i]!;
    const { behaviour, base } = references![i]!;
    const { logprobs } = results[branch]!;
    const term = policyLoss(config.policyObjective, {
      logprobs: logprobs.get(policy.temperature)!,
      behaviour,
      rewarded: policy.rewarded,
      advantage: policy.advantage,
      clipLow: config.clipLow,
      clipHigh: config.clipHigh,
    });
    const policyWeight = (config.policyWeight * policy.weight) / Math.max(1, counts.policyTokens);
    addTo(branch, policy.temperature, term.derivatives, policyWeight);
    const kl = baseKlLoss(logprobs.get(PLAIN_TEMPERATURE)!, base);
    addTo(branch, PLAIN_TEMPERATURE, kl.derivatives, config.klWeight / Math.max(1, counts.baseKlTokens));
    sums.policy += policy.weight * term.loss;
    sums.clipped += term.clipped;
    sums.truncated += term.truncated;
    sums.surprise += term.surprise;
    sums.logWeights.push(term.logWeight);
    sums.approximateKl += term.approximateKl;
    sums.baseKl += kl.loss;
  }
  if (layout.supervisedBranch !== null) {
    const { source, weight } = sample.supervised!;
    const term = crossEntropy(results[layout.supervisedBranch]!.logprobs.get(PLAIN_TEMPERATURE)!);
    addTo(
      layout.supervisedBranch,
      PLAIN_TEMPERATURE,
      term.derivatives,
      (supervisedWeight(source, config) * weight) / supervised,
    );
    sums[source] += term.loss;
  }
  if (results.length > layout.branches.length) {
    const head = results.length - 1;
    const term = crossEntropy(results[head]!.logprobs.get(PLAIN_TEMPERATURE)!);
    addTo(
      head,
      PLAIN_TEMPERATURE,
      term.derivatives,
      (config.contextWeight * sample.context!.weight) / supervised,
    );
    sums.context += term.loss;
  }
  return derivatives;
}

function supervisedWeight(source: NonNullable<Sample['supervised']>['source'], config: UpdateConfig): number {
  return config[`${source}Weight`];
}

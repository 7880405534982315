import type { LearnerReply, LearnerRequest, Sample } from '../../extension/common/contracts/index.ts';
import { seededRandom, shuffled } from '../../extension/common/random.ts';
import { GgmlError } from '../ggml/errors.ts';
import {
  DeviceLora,
  initialLora,
  loraLayout,
  readLora,
  sameLayout,
  writeLora,
  type Lora,
} from '../model/lora.ts';
import type { HeadResult, Network } from '../model/network.ts';
import { AdapterSet } from './adapterSet.ts';
import { adamWStep, clipGradientNorm, decayedRate, type AdamWState } from './adamw.ts';
import {
  derivativesOf,
  headsOf,
  layoutOf,
  policiesOf,
  teaches,
  termTokens,
  zeroSums,
  type LossSums,
  type Reference,
} from './batch.ts';
import { scoreCandidate } from './candidate.ts';
import { chunks } from './chunks.ts';
import { readOptimizer, writeOptimizer, type ReadOptimizer } from './optimizerFile.ts';
import { effectiveSampleShare } from './objective.ts';
import type { Scorer } from './scorer.ts';
import type { TokenCache } from './tokenCache.ts';

export type UpdateRequest = Extract<LearnerRequest, { type: 'update' }>;
export type UpdateReply = Extract<LearnerReply, { type: 'updated' }>;
type Phase = Extract<LearnerReply, { type: 'progress' }>['phase'];

interface UpdateContext {
  network: Network;
  cache: TokenCache;
  scorer: Scorer;
  onProgress: (phase: Phase, done: number, total: number) => void;
}

/**
 * One update of the adapter from a batch of events: reference log-probabilities, a few epochs of mini-batches,
 * the candidate file, and the scores that the gate decides on. The candidate is trained and scored at its parent's
 * scale, and has to be served at it.
 *
 * @throws GgmlError `adapter_layout`, `diverged`, `nothing_to_train`, and what files and device throw.
 */
export async function runUpdate(request: UpdateRequest, context: UpdateContext): Promise<UpdateReply> {
  const { network, onProgress } = context;
  const { config } = request;
  const seconds: Record<string, number> = {};
  const timed = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    seconds[phase] = (performance.now() - start) / 1000;
    return result;
  };
  const samples = request.samples.filter((sample) => teaches(sample, config));
  if (samples.every((sample) => sample.supervised?.source === 'general'))
    throw new GgmlError('nothing_to_train', 'No event of the batch has anything to teach.');

  const parent = loadParent(network, request);
  await timed('lower', async () => {
    for (const [i, sample] of samples.entries()) {
      await prepare(context, sample, request);
      onProgress('lower', i + 1, samples.length);
    }
  });
  const references = await timed('reference', () => referencesOf(samples, request, context));
  const trained = await timed('train', () => train(samples, parent, references, request, context));
  const { served, gate, figures } = await timed('gate', () =>
    scoreCandidate(trained.lora, request, context, (done, total) => onProgress('gate', done, total)),
  );
  writeLora(network.device.ggml, request.candidatePath, network.architecture, served);
  writeOptimizer(network.device.ggml, request.candidatePath, trained.optimizer);
  return {
    type: 'updated',
    id: request.id,
    figures: { ...trained.figures, ...engineFigures(samples, references), ...figures },
    seconds,
    gate,
  };
}

interface Parent {
  lora: Lora;
  optimizer: ReadOptimizer;
}

function loadParent(network: Network, request: UpdateRequest): Parent {
  const { ggml } = network.device;
  const { config, parent } = request;
  const layout = loraLayout(network.architecture, config);
  const lora =
    parent.path === null
      ? initialLora(layout, request.seed)
      : readLora(ggml, parent.path, network.architecture);
  // A file's α tells which share of it is served; training goes on from all of it.
  if (!sameLayout({ ...lora.layout, alpha: layout.alpha }, layout))
    throw new GgmlError(
      'adapter_layout',
      `Adapter ${parent.version} has other LoRA layers or another rank than configured. ` +
        'Activate version 0 to start afresh, or restore the configuration.',
    );
  return { lora: { ...lora, layout }, optimizer: readOptimizer(ggml, parent.path, layout.parameters) };
}

function prepare(
  context: UpdateContext,
  sample: Sample,
  request: UpdateRequest,
): ReturnType<TokenCache['prepare']> {
  return context.cache.prepare(sample.prompt, layoutOf(sample, request.config).branches);
}

/** Behaviour and base log-probabilities of the policy samples, with the trainer's own weights; in their order. */
async function referencesOf(
  samples: Sample[],
  request: UpdateRequest,
  context: UpdateContext,
): Promise<Map<Sample, Reference[]>> {
  const { network } = context;
  const references = new Map<Sample, Reference[]>();
  const adapters = new AdapterSet(network, request.adapters);
  try {
    for (const [i, sample] of samples.entries()) {
      context.onProgress('reference', i + 1, samples.length);
      const layout = layoutOf(sample, request.config);
      if (layout.policyBranches.length === 0) continue;
      const { tree, lower } = await prepare(context, sample, request);
      const branches = [...new Set(layout.policyBranches)];
      const all = headsOf(sample, layout, tree, request.config);
      const heads = branches.map((branch) => all[branch]!);
      const scored = new Map<DeviceLora | null, HeadResult[]>();
      const score = async (lora: DeviceLora | null, branch: number): Promise<HeadResult> => {
        const results = scored.get(lora) ?? (await network.score(tree, lower, { lora, heads }));
        scored.set(lora, results);
        return results[branches.indexOf(branch)]!;
      };
      const ofSample: Reference[] = [];
      for (const [j, { temperature, adapterVersion, adapterScale }] of policiesOf(sample).entries()) {
        const branch = layout.policyBranches[j]!;
        const base = await score(null, branch);
        const behaviour = await score(adapters.get(adapterVersion, adapterScale), branch);
        ofSample.push({ behaviour: behaviour.logprobs.get(temperature)!, base: base.logprobs.get(1)! });
      }
      references.set(sample, ofSample);
    }
  } finally {
    adapters.dispose();
  }
  return references;
}

async function train(
  samples: Sample[],
  parent: Parent,
  references: Map<Sample, Reference[]>,
  request: UpdateRequest,
  context: UpdateContext,
): Promise<{ lora: Lora; optimizer: AdamWState; figures: Record<string, number> }> {
  const { network } = context;
  const { config } = request;
  const random = seededRandom(request.seed);
  const { scale } = request.parent;
  const device = new DeviceLora(network.device, parent.lora, { scale, trainable: true });
  let parameters = parent.lora.values;
  let optimizer = parent.optimizer.state;
  const total = samples.length * config.epochs;
  let done = 0;
  let steps = 0;
  let gradNorm = 0;
  let learningRate = config.learningRate;
  let epochSums = zeroSums();
  let epochs = 0;
  try {
    while (epochs < config.epochs) {
      epochSums = zeroSums();
      for (const miniBatch of chunks(shuffled(samples, random), config.miniBatch)) {
        device.zeroGradients();
        const counts = termTokens(miniBatch, config);
        for (const sample of miniBatch) {
          const layout = layoutOf(sample, config);
          const { tree, lower } = await prepare(context, sample, request);
          const heads = headsOf(sample, layout, tree, config);
          await network.train(tree, lower, { lora: device, heads }, (results) =>
            derivativesOf(sample, layout, results, {
              config,
              counts,
              references: references.get(sample),
              sums: epochSums,
            }),
          );
          context.onProgress('train', ++done, total);
        }
        addCounts(epochSums, counts);
        const gradients = device.downloadGradients();
        gradNorm = clipGradientNorm(gradients, config.maxGradNorm);
        if (!Number.isFinite(gradNorm))
          throw new GgmlError('diverged', 'The gradient is not a number. Lower the learning rate.');
        learningRate = decayedRate(config.learningRate, optimizer.step, config.decaySteps);
        const options = { ...config, learningRate };
        ({ parameters, state: optimizer } = adamWStep(parameters, gradients, optimizer, options));
        device.upload(parameters);
        steps++;
      }
      epochs++;
      if (epochSums.approximateKl / Math.max(1, epochSums.policyTokens) > config.targetKl) break;
    }
  } finally {
    device.dispose();
  }
  const figures = {
    ...lossFigures(epochSums),
    ...{ 'losses/grad_norm': gradNorm, 'train/steps': steps, 'train/epochs': epochs },
  };
  return {
    lora: { layout: parent.lora.layout, values: parameters },
    optimizer,
    figures: {
      ...figures,
      'charts/learning_rate': learningRate,
      'train/samples': samples.length,
      'train/optimizer_restarted': parent.optimizer.restarted ? 1 : 0,
    },
  };
}

/** Figures of the last epoch, each a mean over its tokens. Terms that are off have no figure. */
function lossFigures(sums: LossSums): Record<string, number> {
  const figures: Record<string, number> = {};
  const mean = (name: string, sum: number, tokens: number): void => {
    if (tokens > 0) figures[name] = sum / tokens;
  };
  mean('losses/policy_loss', sums.policy, sums.policyTokens);
  mean('losses/clipfrac', sums.clipped, sums.policyTokens);
  mean('losses/truncated_share', sums.truncated, sums.policyTokens);
  mean('losses/entropy', sums.surprise, sums.policyTokens);
  if (sums.logWeights.length > 0)
    figures['rollout/effective_sample_share'] = effectiveSampleShare(sums.logWeights);
  mean('losses/approx_kl', sums.approximateKl, sums.policyTokens);
  mean('losses/kl_to_base', sums.baseKl, sums.baseKlTokens);
  mean('losses/correction_loss', sums.correction, sums.correctionTokens);
  mean('losses/accepted_loss', sums.accepted, sums.acceptedTokens);
  mean('losses/general_loss', sums.general, sums.generalTokens);
  mean('losses/context_loss', sums.context, sums.contextTokens);
  return figures;
}

/** How far the serving engine's log-probabilities are from the trainer's: two engines, two roundings. */
function engineFigures(samples: Sample[], references: Map<Sample, Reference[]>): Record<string, number> {
  const differences = samples.flatMap((sample) =>
    policiesOf(sample).flatMap(({ engineLogprobs }, i) => {
      const behaviour = references.get(sample)?.[i]?.behaviour;
      return behaviour && engineLogprobs ? engineLogprobs.map((x, t) => Math.abs(x - behaviour[t]!)) : [];
    }),
  );
  if (differences.length === 0) return {};
  return { 'rollout/engine_logprob_diff': differences.reduce((sum, x) => sum + x, 0) / differences.length };
}

function addCounts(sums: LossSums, counts: LossSums): void {
  for (const name of [
    'policyTokens',
    'baseKlTokens',
    'correctionTokens',
    'acceptedTokens',
    'generalTokens',
    'contextTokens',
  ] as const)
    sums[name] += counts[name];
}

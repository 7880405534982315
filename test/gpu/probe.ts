/**
 * What one device computes, in a process of its own: `probe.ts name FLAVOUR` prints the device's name;
 * `probe.ts compute FLAVOUR MODEL FILE` writes a `Probe` as JSON.
 */
import { writeFileSync } from 'node:fs';
import type { Sample, ScoreItem } from '../../extension/common/contracts/index.ts';
import { Device } from '../../trainer/ggml/device.ts';
import type { GpuChoice } from '../../trainer/ggml/library.ts';
import { selfCheck } from '../../trainer/ggml/selfCheck.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { runUpdate, type UpdateReply } from '../../trainer/learning/update.ts';
import { DeviceLora, initialLora, loraLayout, readLora } from '../../trainer/model/lora.ts';
import { Network, type HeadResult } from '../../trainer/model/network.ts';
import { branchTargets, tokenTree } from '../../trainer/model/sequence.ts';
import { noise } from '../native/gradientCheck.ts';

export interface Probe {
  device: string;
  /** log p(target) of each row, at both temperatures, without and with a random adapter. */
  logprobs: number[];
  /** d Σ log p / d every parameter of the adapter. */
  gradients: number[];
  /** Parameters before and after one update, at the share that the gate chose. */
  before: number[];
  after: number[];
  gate: UpdateReply['gate'];
  figures: Record<string, number>;
}

const END = 0;
const PROMPT = [40, 41, 42, 50, 61, 33, 34, 35];
const TYPED = [80, 81, END];
const SHOWN = [70, 71, 72, END];
const CONFIG = {
  ...defaultUpdateConfig(3),
  rank: 4,
  firstLayer: 1,
  learningRate: 0.01,
  epochs: 2,
  miniBatch: 2,
  policyWeight: 1,
  servedShare: 1,
  weightType: 'f32' as const,
};

const [command, flavour, model, file] = process.argv.slice(2) as [string, GpuChoice, string, string];
const device = new Device({ gpu: flavour, threads: 1 });
// After a buffer is freed, Mesa 22.3's software driver corrupts the process's memory at a later computation: seen in
// about six of ten runs, in none of ten where nothing is freed. So nothing is freed here, and the largest graph comes
// first, because an allocator that grows frees what it had.
Object.assign(device.ggml, { ggml_backend_buffer_free: () => {}, ggml_gallocr_free: () => {} });
if (command === 'name') console.log(device.name);
else writeFileSync(file, JSON.stringify(await compute()));

async function compute(): Promise<Probe> {
  await selfCheck(device);
  const network = new Network(device, model, {
    firstLayer: CONFIG.firstLayer,
    forward: 'f32',
    transposed: TensorType.F32,
  });
  const layout = loraLayout(network.architecture, CONFIG);
  const random = { layout, values: noise(layout.parameters, 5).map((x) => x * 0.2) };
  const lora = new DeviceLora(device, random, { scale: 1, trainable: true });
  const tree = tokenTree(PROMPT, [SHOWN, TYPED]);
  const heads = [SHOWN, TYPED].map((tokens, i) => ({
    ...branchTargets(tree, i, tokens),
    temperatures: [1, 0.3],
  }));
  const ones = (results: HeadResult[]): Map<number, Float32Array>[] =>
    results.map((result) => new Map([...result.logprobs].map(([t, values]) => [t, values.map(() => 1)])));
  const nothing = new Float32Array(tree.ids.length * network.architecture.width);
  await network.train(tree, nothing, { lora, heads }, ones);
  lora.zeroGradients();
  const lower = await network.lower(tree);
  const logprobs: number[] = [];
  for (const adapter of [null, lora])
    for (const result of await network.score(tree, lower, { lora: adapter, heads }))
      for (const values of result.logprobs.values()) logprobs.push(...values);
  await network.train(tree, lower, { lora, heads }, ones);
  const gradients = [...lora.downloadGradients()];
  lora.dispose();
  return { device: device.name, logprobs, gradients, ...(await update(network)) };
}

/** One whole update of every term, the gate's scores included. */
async function update(network: Network): Promise<Pick<Probe, 'before' | 'after' | 'gate' | 'figures'>> {
  const cache = new TokenCache(network, 1e7);
  const scorer = new Scorer(network, cache, [END]);
  const base = { version: 0, path: null, scale: 1 };
  const candidatePath = `${file}.gguf`;
  const items: ScoreItem[] = [TYPED, SHOWN].map((target) => ({ id: target.join(), prompt: PROMPT, target }));
  const reply = await runUpdate(
    {
      type: 'update',
      id: 'probe',
      samples: samples(),
      parent: base,
      adapters: [base],
      candidatePath,
      candidateVersion: 1,
      heldOut: items,
      general: items,
      config: CONFIG,
      seed: 1,
    },
    { network, cache, scorer, onProgress: () => {} },
  );
  const layout = loraLayout(network.architecture, CONFIG);
  return {
    before: [...initialLora(layout, 1).values],
    after: [...readLora(device.ggml, candidatePath, network.architecture).values],
    gate: reply.gate,
    figures: reply.figures,
  };
}

function samples(): Sample[] {
  const policy = { tokens: SHOWN, rewarded: SHOWN.length, weight: 1, temperature: 0.3 };
  const served = { adapterVersion: 0, adapterScale: 1 };
  return [1, -0.25, 0.75, -0.5].map((advantage, i) => ({
    eventId: `event ${i}`,
    prompt: [...PROMPT, 90 + i],
    policy: { ...policy, ...served, advantage },
    supervised: { source: i % 2 === 0 ? 'accepted' : 'correction', tokens: TYPED, weight: 1 },
  }));
}

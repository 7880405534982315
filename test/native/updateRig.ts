import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sample, UpdateConfig } from '../../extension/common/contracts/index.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { runUpdate, type UpdateReply, type UpdateRequest } from '../../trainer/learning/update.ts';
import { DeviceLora, readLora, type Lora } from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { testDevice } from './gradientCheck.ts';

export const END = 0;
export const PROMPT = [40, 41, 42, 50, 61, 33];
export const GENERATED = [70, 71, 72, END];
export const TYPED = [80, 81, END];
export const TEMPERATURE = 0.7;

/** The terms that `weights` switches on, of a tiny model's upper layers. */
export const only = (weights: Partial<UpdateConfig>): UpdateConfig => ({
  ...defaultUpdateConfig(3),
  rank: 4,
  servedShare: 1,
  servedShares: [],
  firstLayer: 1,
  learningRate: 0.01,
  decaySteps: 0,
  epochs: 2,
  miniBatch: 2,
  correctionWeight: 0,
  acceptedWeight: 0,
  generalWeight: 0,
  contextWeight: 0,
  policyWeight: 0,
  klWeight: 0,
  weightType: 'f32',
  ...weights,
});

export const policySample = (advantage: number): Sample => ({
  eventId: `policy ${advantage}`,
  prompt: PROMPT,
  policy: {
    tokens: GENERATED,
    rewarded: 4,
    advantage,
    weight: 1,
    temperature: TEMPERATURE,
    adapterVersion: 0,
    adapterScale: 1,
  },
});
export const supervisedSample = (source: 'correction' | 'accepted' | 'general'): Sample => ({
  eventId: source,
  prompt: PROMPT,
  supervised: { source, tokens: TYPED, weight: 1 },
});

/** A tiny model in memory and updates of it, for the tests of one `describe`. */
export class UpdateRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'hone-update-'));
  readonly model = join(this.folder, 'model.gguf');
  readonly network: Network;
  private readonly cache: TokenCache;
  readonly scorer: Scorer;
  private files = 0;

  constructor() {
    writeTinyModel(this.model);
    this.network = new Network(testDevice(), this.model, {
      firstLayer: 1,
      forward: 'f32',
      transposed: TensorType.F32,
    });
    this.cache = new TokenCache(this.network, 1e7);
    this.scorer = new Scorer(this.network, this.cache, [END]);
  }

  dispose(): void {
    this.network.dispose();
    rmSync(this.folder, { recursive: true });
  }

  /** One update from the base, unless `rest` says otherwise. */
  async update(
    samples: Sample[],
    config: UpdateConfig,
    rest: Partial<UpdateRequest> = {},
  ): Promise<{ reply: UpdateReply; path: string; lora: Lora }> {
    const { network, cache, scorer } = this;
    const path = join(this.folder, `candidate-${++this.files}.gguf`);
    const base = { version: 0, path: null, scale: 1 };
    const request: UpdateRequest = {
      type: 'update',
      id: 'test',
      samples,
      parent: base,
      adapters: [base],
      candidatePath: path,
      candidateVersion: 1,
      heldOut: [],
      general: [],
      config,
      seed: 1,
      ...rest,
    };
    const reply = await runUpdate(request, { network, cache, scorer, onProgress: () => {} });
    return { reply, path, lora: readLora(network.device.ggml, path, network.architecture) };
  }

  /** Of `target` after `PROMPT`, in nats. */
  async logprobOf(target: number[], lora: Lora | null): Promise<number> {
    const device = lora && new DeviceLora(this.network.device, lora, { scale: 1, trainable: false });
    const [score] = await this.scorer.score(
      [{ id: target.join(), prompt: PROMPT, target }],
      device && { lora: device, path: `probe ${++this.files}` },
    );
    device?.dispose();
    return score!.logprob;
  }
}

import type { LearnerReply, LearnerRequest, ScoreItem } from '../../extension/common/contracts/index.ts';
import { Device } from '../ggml/device.ts';
import { GgmlError } from '../ggml/errors.ts';
import { selfCheck } from '../ggml/selfCheck.ts';
import { Network } from '../model/network.ts';
import { KeptScores } from './keptScores.ts';
import { Scorer } from './scorer.ts';
import { TokenCache } from './tokenCache.ts';
import { loadScored } from './adapterSet.ts';
import { runUpdate } from './update.ts';
import { chooseWeightType, tensorTypeOf } from './weightType.ts';

type InitRequest = Extract<LearnerRequest, { type: 'init' }>;
type Reply = (reply: LearnerReply) => void;

/** The learner's state: one model, one request at a time, paused at will between slices of work. */
export class Learner {
  readonly #reply: Reply;
  readonly #pause = new Gate();
  #network: Network | undefined;
  #cache: TokenCache | undefined;
  #scorer: Scorer | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  /** Pause and resume act at once; everything else waits for its turn. */
  handle(request: LearnerRequest): void {
    if (request.type === 'pause') this.#pause.close();
    else if (request.type === 'resume') this.#pause.open();
    else this.#queue = this.#queue.then(() => this.#run(request));
  }

  async #run(request: LearnerRequest): Promise<void> {
    const id = 'id' in request ? request.id : null;
    try {
      switch (request.type) {
        case 'init':
          return await this.#init(request);
        case 'update': {
          const onProgress = (phase: Progress['phase'], done: number, total: number): void =>
            this.#reply({ type: 'progress', id: request.id, phase, done, total });
          const updated = await runUpdate(request, { ...this.#loaded(), onProgress });
          this.#reply(updated);
          return await this.#keep(request.general);
        }
        case 'score': {
          const { network, scorer } = this.#loaded();
          const adapter = loadScored(network, request.adapter);
          try {
            const scores = await scorer.score(request.items, adapter);
            return this.#reply({ type: 'scores', id: request.id, scores });
          } finally {
            adapter?.lora.dispose();
          }
        }
      }
    } catch (error) {
      const code = error instanceof GgmlError ? error.code : 'internal';
      this.#reply({
        type: 'error',
        id,
        code,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** The update stands without it: the next learner then computes it again. */
  async #keep(general: ScoreItem[]): Promise<void> {
    try {
      await this.#loaded().scorer.keep(general);
    } catch (error) {
      console.error(`What the gate needs of the base model could not be kept: ${String(error)}`);
    }
  }

  async #init(request: InitRequest): Promise<void> {
    const device = new Device({ gpu: request.gpu, threads: request.threads });
    await selfCheck(device);
    const weightType = await chooseWeightType(device, request.weightType);
    this.#network = new Network(
      device,
      request.modelPath,
      {
        firstLayer: request.firstLayer,
        forward: request.weightType === 'f32' ? 'f32' : 'file',
        transposed: tensorTypeOf(weightType),
      },
      () => this.#pause.passed(),
    );
    this.#cache = new TokenCache(this.#network, request.cacheBytes);
    const { family, layers } = this.#network.architecture;
    const identity = [device.name, family, layers, request.firstLayer, request.weightType === 'f32'].join();
    const kept = request.keptPath ? new KeptScores(device.ggml, request.keptPath, identity) : null;
    this.#scorer = new Scorer(this.#network, this.#cache, request.endTokens, kept);
    const backend = device.fellBack ? `${device.name}, no GPU device found` : device.name;
    this.#reply({ type: 'ready', backend, weightType, architecture: family, layers });
  }

  #loaded(): { network: Network; cache: TokenCache; scorer: Scorer } {
    if (!this.#network || !this.#cache || !this.#scorer)
      throw new GgmlError('not_ready', 'The learner has no model yet: send init first, and see its answer.');
    return { network: this.#network, cache: this.#cache, scorer: this.#scorer };
  }
}

type Progress = Extract<LearnerReply, { type: 'progress' }>;

/** A gate that work passes only while it is open. */
class Gate {
  #closed: { promise: Promise<void>; open: () => void } | null = null;

  close(): void {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = { promise, open: resolve };
  }

  open(): void {
    this.#closed?.open();
    this.#closed = null;
  }

  async passed(): Promise<void> {
    while (this.#closed) await this.#closed.promise;
  }
}

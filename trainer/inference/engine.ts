/** The engine over node-llama-cpp: one model, one request at a time, adapters swapped between requests. */
import { basename, resolve } from 'node:path';
import { statSync } from 'node:fs';
import type { GgufFileInfo, LlamaModel } from 'node-llama-cpp';
import PQueue from 'p-queue';
import { BASE_ADAPTER, type AdapterRef } from '../../extension/common/contracts/index.ts';
import { gigabytes, memoryNeeded } from '../../extension/common/models/memory.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';
import { checkAdapterFile } from './adapterFile.ts';
import { generateOn } from './generate.ts';
import { closeBackend, openBackend, type Backend, type GpuChoice } from './llama.ts';
import { corruptModel, hashModelFile, readModelFile } from './modelFile.ts';
import { modelSizes } from './modelSizes.ts';
import { HeldAdapters } from './heldAdapters.ts';
import { LoraFiles } from './loraFiles.ts';
import { Pace } from './pace.ts';
import { sameAdapter, ServedAdapter, type ContextOptions } from './served.ts';
import type { Engine, GenerateRequest, GenerateResult, ModelInfo, PromptPart } from './types.ts';
import { Vocabulary } from './vocabulary.ts';

export interface EngineOptions {
  modelPath: string;
  gpu: GpuChoice;
  /** Absent: the physical cores. */
  threads?: number;
  /** Largest context; a model trained on less gets less. */
  contextTokens?: number;
  /** Bytes; absent: no limit. */
  memoryLimit?: number;
  /** One of `FIM_CHOICES`; absent: `auto`. */
  fimTemplate?: string;
  /** The same numbers for the same requests, whatever else the machine computes; see `GenerateRequest.fresh`. */
  steady?: boolean;
  /** Where the model's hash is kept; null: nowhere. */
  dataDir: string | null;
  logger: Logger;
}

/** Completion prompts are a few hundred tokens; the cache of 4,096 takes about 100 MB in the embedded model. */
const DEFAULT_CONTEXT_TOKENS = 4096;
/** llama.cpp rounds contexts up to this. */
const CONTEXT_STEP_TOKENS = 256;

/** Loads the model; every failure is a coded error that names the file or option and the remedy. */
export async function loadEngine(options: EngineOptions): Promise<Engine> {
  const path = resolve(options.modelPath);
  const info = await readModelFile(path);
  const wanted = options.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const trainedOn = Number(info.architectureMetadata.context_length ?? wanted);
  const memory = memoryNeeded(modelSizes(path, info), Math.min(wanted, trainedOn));
  if (memory.serving > (options.memoryLimit ?? Infinity))
    throw tooLarge(path, memory.serving, options.memoryLimit!);
  const backend = await openBackend(options.gpu, options.threads, options.logger);
  try {
    const model = await loadModel(path, backend);
    const vocabulary = new Vocabulary(model, info, options.fimTemplate);
    const trained = model.trainContextSize;
    const contextTokens = Math.min(wanted, trained);
    const pace = new Pace(backend, statSync(path).size, options.steady === true);
    const context: ContextOptions = {
      contextTokens: Math.max(
        CONTEXT_STEP_TOKENS,
        Math.floor(contextTokens / CONTEXT_STEP_TOKENS) * CONTEXT_STEP_TOKENS,
      ),
      batchTokens: pace.batchTokens,
      flashAttention: backend.device !== 'cpu',
      threads: backend.threads,
    };
    const described: ModelInfo = {
      path,
      hash: await hashModelFile(path, options.dataDir),
      name: info.metadata.general.name ?? basename(path, '.gguf'),
      architecture: info.metadata.general.architecture,
      layers: info.architectureMetadata.block_count ?? 0,
      // The last cell stays free: node-llama-cpp shifts the context when it is used.
      contextTokens: context.contextTokens - 1,
      fim: vocabulary.fim,
      fimSwitchedOff: options.fimTemplate === 'none',
      endOfText: vocabulary.endOfText,
      beginOfText: vocabulary.beginOfText,
      endTokens: vocabulary.endTokens,
    };
    const files = new LoraFiles(model, options.logger);
    const first = await ServedAdapter.open(model, files, BASE_ADAPTER, context);
    tellTemplate(described, options);
    const held = new HeldAdapters({
      open: async (adapter) => {
        if (adapter.path !== null) await checkAdapterFile(adapter.path, info, described.name);
        return ServedAdapter.open(model, files, adapter, context);
      },
      logger: options.logger,
    });
    const loaded = { info, memory, backend, model, files, vocabulary, context, pace, held };
    return new LlamaEngine(described, loaded, first);
  } catch (error) {
    await closeBackend(backend);
    throw error;
  }
}

/** What stays the same as long as the model is loaded. */
interface Loaded {
  info: GgufFileInfo;
  memory: Engine['memory'];
  backend: Backend;
  model: LlamaModel;
  files: LoraFiles;
  vocabulary: Vocabulary;
  context: ContextOptions;
  pace: Pace;
  held: HeldAdapters;
}

class LlamaEngine implements Engine {
  readonly model: ModelInfo;
  private readonly loaded: Loaded;
  private readonly requests = new PQueue({ concurrency: 1 });
  private readonly swaps = new PQueue({ concurrency: 1 });
  private readonly busyListeners = new Set<(busy: boolean) => void>();
  private served: ServedAdapter;
  private open = 0;
  private arrivals = 0;
  /** Ends the look-ahead that is being computed. */
  private lookAhead: AbortController | null = null;
  private disposing: Promise<void> | null = null;

  constructor(model: ModelInfo, loaded: Loaded, first: ServedAdapter) {
    this.model = model;
    this.loaded = loaded;
    this.served = first;
  }

  get adapter(): AdapterRef {
    return this.served.adapter;
  }

  get device(): Backend['device'] {
    return this.loaded.backend.device;
  }

  get memory(): Engine['memory'] {
    return this.loaded.memory;
  }

  get gpuMemoryBytes(): number | null {
    return this.loaded.backend.gpuMemoryBytes;
  }

  get threads(): number {
    return this.loaded.backend.threads;
  }

  tokenize(text: string): number[] {
    return this.loaded.vocabulary.tokenize(text);
  }

  tokenizeParts(parts: PromptPart[]): number[] {
    return this.loaded.vocabulary.tokenizeParts(parts);
  }

  detokenize(tokens: number[]): string {
    return this.loaded.vocabulary.detokenize(tokens);
  }

  async generate(request: GenerateRequest): Promise<GenerateResult> {
    const room = this.model.contextTokens - request.prompt.length;
    if (request.prompt.length === 0 || room < 1) {
      throw new HoneError(
        'invalid_request',
        `A prompt of ${request.prompt.length} tokens can't be completed in a context of ${this.model.contextTokens}.`,
        { param: 'prompt' },
      );
    }
    const arrivedAt = performance.now();
    // The latest keystroke is what the developer looks at; look-ahead waits for all of them.
    const isAhead = request.priority === 'lookahead';
    const priority = isAhead ? 0 : ++this.arrivals;
    if (!isAhead) this.lookAhead?.abort();
    this.enter();
    try {
      const run = () => (isAhead ? this.runAhead(request, arrivedAt) : this.run(request, arrivedAt));
      return await this.requests.add(run, { priority });
    } finally {
      this.leave();
    }
  }

  async useAdapter(adapter: AdapterRef): Promise<void> {
    await this.swaps.add(async () => {
      if (sameAdapter(this.served.adapter, adapter)) return;
      if (adapter.path !== null) await checkAdapterFile(adapter.path, this.loaded.info, this.model.name);
      await this.serve(adapter);
    });
  }

  async holdAdapter(adapter: AdapterRef): Promise<void> {
    if (sameAdapter(this.served.adapter, adapter)) return;
    await this.loaded.held.hold(adapter);
  }

  async dropAdapter(version: number): Promise<void> {
    await this.loaded.held.drop((adapter) => adapter.version === version);
  }

  async forget(): Promise<void> {
    await this.loaded.held.drop(() => true);
    await this.swaps.add(() => this.serve(this.served.adapter));
  }

  onBusy(listener: (busy: boolean) => void): () => void {
    this.busyListeners.add(listener);
    return () => this.busyListeners.delete(listener);
  }

  async dispose(): Promise<void> {
    this.disposing ??= (async () => {
      await this.swaps.onIdle();
      await this.requests.onIdle();
      await this.loaded.held.drop(() => true);
      await this.served.retire();
      await this.loaded.model.dispose();
      await closeBackend(this.loaded.backend);
    })();
    await this.disposing;
  }

  /** Until a keystroke's request comes: what was read of the prompt by then stays for it. */
  private async runAhead(request: GenerateRequest, arrivedAt: number): Promise<GenerateResult> {
    const overtaken = new AbortController();
    this.lookAhead = overtaken;
    const signals = request.signal ? [request.signal, overtaken.signal] : [overtaken.signal];
    try {
      return await this.run({ ...request, signal: AbortSignal.any(signals) }, arrivedAt);
    } finally {
      this.lookAhead = null;
    }
  }

  private async run(request: GenerateRequest, arrivedAt: number): Promise<GenerateResult> {
    const served = await this.claim(request.adapter);
    try {
      return await generateOn(
        {
          sequence: served.sequence,
          vocabulary: this.loaded.vocabulary,
          pace: this.loaded.pace,
          adapter: served.adapter,
          arrivedAt,
          startedAt: performance.now(),
        },
        request,
      );
    } catch (error) {
      // The cache may hold half of a batch: the next request starts from nothing.
      await served.sequence.clearHistory();
      const why = error instanceof Error ? error.message : String(error);
      throw new HoneError('generation_failed', `The model could not complete the prompt: ${why}`, {
        cause: error,
      });
    } finally {
      await served.release();
    }
  }

  /** What a request is answered with, which stays open until it is released. */
  private async claim(adapter: AdapterRef | undefined): Promise<ServedAdapter> {
    if (adapter !== undefined && !sameAdapter(this.served.adapter, adapter))
      return this.loaded.held.claim(adapter);
    const { served } = this;
    served.use();
    return served;
  }

  /** In a context of its own, which knows no prompt yet. */
  private async serve(adapter: AdapterRef): Promise<void> {
    const { model, files, context } = this.loaded;
    const next = await ServedAdapter.open(model, files, adapter, context);
    const old = this.served;
    this.served = next;
    await old.retire();
  }

  private enter(): void {
    if (this.open++ === 0) this.tellBusy(true);
  }

  private leave(): void {
    if (--this.open === 0) this.tellBusy(false);
  }

  private tellBusy(busy: boolean): void {
    for (const listener of this.busyListeners) listener(busy);
  }
}

async function loadModel(path: string, backend: Backend): Promise<LlamaModel> {
  try {
    return await backend.llama.loadModel({
      modelPath: path,
      gpuLayers: backend.device === 'cpu' ? 0 : 'auto',
    });
  } catch (error) {
    throw corruptModel(path, error);
  }
}

function tooLarge(path: string, needed: number, limit: number): HoneError {
  return new HoneError(
    'memory_limit',
    `The model ${path} would take about ${gigabytes(needed)}, more than the ${gigabytes(limit)} that are allowed. Choose a smaller one, or raise model.memoryLimitMb of the configuration (hone.companion.memoryLimitMb in the editor).`,
    { param: '--model' },
  );
}

function tellTemplate({ name, fim, fimSwitchedOff }: ModelInfo, { logger }: EngineOptions): void {
  if (fim !== null) {
    logger.info(
      { family: fim.family, order: fim.order },
      `The model ${name} is asked with the fill-in-the-middle template ${fim.family}, order ${fim.order}.`,
    );
    return;
  }
  const why = fimSwitchedOff ? 'is set to be asked without' : 'has no';
  logger.warn(`The model ${name} ${why} fill-in-the-middle markers: suffixes are not used.`);
}

/** What the inference routes share: the engine once it is loaded, where records go, defaults and counts. */
import type { AdapterRef } from '../../../extension/common/contracts/index.ts';
import type { Engine, GenerateResult } from '../../inference/types.ts';
import type { PredictionAsk } from '../../acceptance/acceptanceModel.ts';
import type { CompletionSink, StoredPrediction } from '../../store/types.ts';
import { HoneError } from '../shared/errors.ts';
import type { Logger } from '../shared/logging.ts';
import { Metrics } from '../shared/metrics.ts';
import type { BuiltPrompt } from './prompt.ts';
import { UnshownRecords } from './unshown.ts';

interface SamplingDefaults {
  temperature: number;
  maxTokens: number;
}

/** The model's adapters, for `/lora-adapters`. */
export interface AdapterDirectory {
  list(): AdapterRef[];
  /** What the requests of a workspace are answered with, open; undefined: what is in service for all. */
  forWorkspace(workspaceKey: string): Promise<AdapterRef | undefined>;
  /** Puts a version into service, 0 for the base, at its own scale unless one is given. */
  activate(version: number, scale?: number): Promise<void>;
}

export interface AcceptancePredictor {
  readonly threshold: number;
  predict(ask: PredictionAsk): StoredPrediction;
}

export interface EnvironmentOptions {
  sink: CompletionSink;
  defaults: SamplingDefaults;
  logger: Logger;
  /** Code of the error because of which the embedded model serves in the place of another; absent: it doesn't. */
  fellBack?: string;
}

const MILLISECONDS_PER_SECOND = 1000;

/** Made before the model is loaded, so that the service can say that it is being loaded. */
export class InferenceEnvironment {
  readonly sink: CompletionSink;
  readonly defaults: SamplingDefaults;
  readonly logger: Logger;
  readonly fellBack: string | undefined;
  readonly metrics = new Metrics();
  adapters: AdapterDirectory | null = null;
  /** Predicts whether a completion will be taken. */
  acceptance: AcceptancePredictor | null = null;
  /** Told of each completion that could not be recorded. */
  onRecordFailure: (error: unknown) => void = () => {};
  /** Completions that were asked for ahead. */
  readonly unshown = new UnshownRecords();
  readonly countAhead: (amount?: number) => void;
  readonly countAheadShown: (amount?: number) => void;
  private engine: Engine | null = null;
  private failure: HoneError | null = null;
  private readonly counters;

  constructor(options: EnvironmentOptions) {
    this.sink = options.sink;
    this.defaults = options.defaults;
    this.logger = options.logger;
    this.fellBack = options.fellBack;
    const { metrics } = this;
    this.counters = {
      completions: metrics.counter('hone_completions_total', 'Completion requests that were answered.'),
      cancelled: metrics.counter('hone_completions_cancelled_total', 'Requests whose client went away.'),
      prompt: metrics.counter('hone_prompt_tokens_total', 'Prompt tokens, cached ones included.'),
      cached: metrics.counter(
        'hone_prompt_tokens_cached_total',
        'Prompt tokens that the cache already held.',
      ),
      generated: metrics.counter('hone_generated_tokens_total', 'Generated tokens.'),
      truncated: metrics.counter('hone_prompts_truncated_total', 'Prompts that were cut to fit the context.'),
      queue: metrics.counter('hone_queue_seconds_total', 'Time that requests waited for their turn.'),
      promptTime: metrics.counter('hone_prompt_seconds_total', 'Time from turn to first token.'),
      unrecorded: metrics.counter('hone_record_failures_total', 'Completions that could not be recorded.'),
      total: metrics.counter('hone_completion_seconds_total', 'Time from request to last token.'),
      read: metrics.counter('hone_prompts_read_total', 'Prompts that were read ahead; in no other figure.'),
    };
    this.countAhead = metrics.counter('hone_look_ahead_total', 'Completions that were made ahead.');
    this.countAheadShown = metrics.counter(
      'hone_look_ahead_shown_total',
      'Of those, recorded ones that were shown.',
    );
    metrics.gauge(
      'hone_adapter_version',
      'Adapter version in service.',
      () => this.engine?.adapter.version ?? 0,
    );
    metrics.gauge('hone_model_loaded', '1 when the model is loaded.', () => (this.engine === null ? 0 : 1));
  }

  /** The model is loaded: requests are answered from now on. */
  ready(engine: Engine): void {
    this.engine = engine;
  }

  fail(error: HoneError): void {
    this.failure = error;
  }

  /** The engine, or a `loading` error. */
  requireEngine(): Engine {
    if (this.engine !== null) return this.engine;
    if (this.failure !== null) throw this.failure;
    throw new HoneError('loading', 'The model is still being loaded. Ask again in a moment.');
  }

  get state(): { engine: Engine | null; failure: HoneError | null } {
    return { engine: this.engine, failure: this.failure };
  }

  /** The developer got the text all the same; that nothing can be learned from it is said and counted. */
  recordFailed(error: unknown, completion: string): void {
    this.counters.unrecorded();
    this.logger.error({ err: error, completion }, 'The completion could not be recorded.');
    this.onRecordFailure(error);
  }

  /** A prompt was read for a request that may come. */
  countRead(): void {
    this.counters.read();
  }

  count(prompt: BuiltPrompt, result: GenerateResult): void {
    const { counters } = this;
    if (result.finishReason === 'cancelled') counters.cancelled();
    else counters.completions();
    counters.prompt(prompt.tokens.length);
    counters.cached(result.cachedTokens);
    counters.generated(result.tokens.length);
    if (prompt.truncatedTokens > 0) counters.truncated();
    counters.queue(result.timings.queue / MILLISECONDS_PER_SECOND);
    counters.promptTime(result.timings.prompt / MILLISECONDS_PER_SECOND);
    counters.total(result.timings.total / MILLISECONDS_PER_SECOND);
  }
}

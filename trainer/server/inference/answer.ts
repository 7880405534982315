/** One completion from request to record, for both completion routes. */
import { v7 as uuidv7 } from 'uuid';
import { findStop } from '../../inference/text.ts';
import type { CompletionResponse } from '../../../extension/common/contracts/index.ts';
import type { Engine, GeneratedToken, GenerateRequest, GenerateResult } from '../../inference/types.ts';
import type { CompletionRecord, StoredPrediction } from '../../store/types.ts';
import { HoneError } from '../shared/errors.ts';
import type { InferenceEnvironment } from './environment.ts';
import { buildPrompt, type BuiltPrompt, type PromptSource } from './prompt.ts';

/** A completion request with every default filled in. */
export interface CompletionAsk {
  source: PromptSource;
  /** `prompt` as the client sent it, secrets masked; feedback that knows no id is joined by it. */
  requestPrompt: string;
  /** 0: the prompt is only read, for the request that comes next. */
  maxTokens: number;
  temperature: number;
  topP: number;
  topK: number;
  repetitionPenalty: number;
  stop: string[];
  endsAt?: NonNullable<GenerateRequest['endsAt']>;
  seed: number | undefined;
  /** False: nothing of the request is written anywhere. */
  record: boolean;
  /** Asked for before anybody waits for it; see `look_ahead` in the contract. */
  lookAhead?: boolean;
  session: string;
  workspaceKey: string;
  relativePath: string;
  language: string;
  documentVersion: number;
  offset: number;
  /** By the client's clock, milliseconds since the epoch. */
  askedAt: number | undefined;
}

export interface Answer {
  id: string;
  createdAt: number;
  prompt: BuiltPrompt;
  result: GenerateResult;
  /** Null: there is no predictor. */
  acceptance: CompletionResponse['acceptance'] | null;
  /** The stop string that ended the text, or null. */
  stoppedBy: string | null;
}

/** Half of the context is always left to the prompt. */
const LARGEST_ANSWER_SHARE = 0.5;

/** One request under way: its prompt is built at once, `run` generates and records. */
export class Completion {
  readonly id = uuidv7();
  readonly createdAt = Date.now();
  readonly ask: CompletionAsk;
  readonly prompt: BuiltPrompt;
  private readonly engine: Engine;
  private readonly environment: InferenceEnvironment;
  private readonly maxTokens: number;

  constructor(environment: InferenceEnvironment, engine: Engine, ask: CompletionAsk) {
    this.environment = environment;
    this.engine = engine;
    this.ask = ask;
    this.maxTokens = Math.min(ask.maxTokens, Math.floor(engine.model.contextTokens * LARGEST_ANSWER_SHARE));
    this.prompt = buildPrompt(engine, ask.source, this.maxTokens);
  }

  /** Generates and, unless the client went away or forbade it, writes the record before anything is answered. */
  async run(signal: AbortSignal, onToken?: (token: GeneratedToken) => void): Promise<Answer> {
    const { ask, environment } = this;
    const adapter = await environment.adapters?.forWorkspace(ask.workspaceKey);
    const result = await this.engine.generate({
      ...(adapter === undefined ? {} : { adapter }),
      prompt: this.prompt.tokens,
      maxTokens: this.maxTokens,
      temperature: ask.temperature,
      topP: ask.topP,
      topK: ask.topK,
      repetitionPenalty: ask.repetitionPenalty,
      stop: ask.stop,
      ...(ask.endsAt === undefined ? {} : { endsAt: ask.endsAt }),
      ...(ask.seed === undefined ? {} : { seed: ask.seed }),
      ...(onToken === undefined ? {} : { onToken }),
      signal,
      // Nobody waits for a prompt that is only read.
      priority: ask.lookAhead === true || ask.maxTokens === 0 ? 'lookahead' : 'keystroke',
    });
    if (ask.maxTokens === 0) {
      environment.countRead();
      return this.answer(result, null);
    }
    environment.count(this.prompt, result);
    const prediction = result.finishReason === 'cancelled' ? null : this.predict(result);
    if (ask.lookAhead === true) this.keep(result, prediction, signal);
    else if (ask.record) this.write(result, prediction, onToken !== undefined);
    return this.answer(result, prediction);
  }

  private answer(result: GenerateResult, prediction: StoredPrediction | null): Answer {
    return {
      id: this.id,
      createdAt: this.createdAt,
      prompt: this.prompt,
      result,
      acceptance: prediction && {
        before: prediction.before,
        ...(prediction.after === undefined ? {} : { after: prediction.after }),
        threshold: this.environment.acceptance!.threshold,
      },
      stoppedBy: stopString(result, this.ask.stop),
    };
  }

  private predict(result: GenerateResult): StoredPrediction | null {
    const { ask, environment, prompt } = this;
    const { language, workspaceKey, askedAt } = ask;
    const predictor = environment.acceptance;
    if (predictor === null) return null;
    return predictor.predict({
      promptText: prompt.text,
      ...{ language, workspaceKey, askedAt },
      text: result.text,
      logprobs: result.tokens.map((token) => token.modelLogprob),
      finished: result.finishReason === 'stop',
    });
  }

  /** A client that hangs up on a stream may have shown what it got by then. */
  private write(result: GenerateResult, prediction: StoredPrediction | null, streamed: boolean): void {
    const { environment, id } = this;
    const cancelled = result.finishReason === 'cancelled';
    if (cancelled) guarded(environment, id, () => environment.sink.countCancelled());
    if (!cancelled || (streamed && result.text !== ''))
      writeRecord(environment, this.record(result, prediction));
  }

  /** Until it is shown. */
  private keep(result: GenerateResult, prediction: StoredPrediction | null, signal: AbortSignal): void {
    if (result.finishReason === 'cancelled') {
      if (signal.aborted) return;
      throw overtaken();
    }
    this.environment.countAhead();
    if (!this.ask.record) return;
    this.environment.unshown.keep({ ...this.record(result, prediction), cacheOrigin: 'lookAhead' });
  }

  private record(result: GenerateResult, prediction: StoredPrediction | null): CompletionRecord {
    const { ask, prompt } = this;
    return {
      id: this.id,
      createdAt: this.createdAt,
      session: ask.session,
      workspaceKey: ask.workspaceKey,
      relativePath: ask.relativePath,
      language: ask.language,
      documentVersion: ask.documentVersion,
      offset: ask.offset,
      ...(ask.requestPrompt === prompt.text ? {} : { requestPrompt: ask.requestPrompt }),
      promptText: prompt.text,
      promptTokens: prompt.tokens,
      modelHash: this.engine.model.hash,
      adapterVersion: result.adapterVersion,
      adapterScale: result.adapterScale,
      sampling: {
        temperature: ask.temperature,
        topP: ask.topP,
        topK: ask.topK,
        repetitionPenalty: ask.repetitionPenalty,
        seed: ask.seed ?? null,
      },
      generatedTokens: result.tokens.map((token) => token.id),
      generatedLogprobs: result.tokens.map((token) => token.logprob),
      modelLogprobs: result.tokens.map((token) => token.modelLogprob),
      finishReason: result.finishReason,
      ended: result.ended,
      rawText: result.text,
      ...(prediction === null ? {} : { prediction }),
      cacheOrigin: result.cachedTokens > 0 ? 'prefix' : 'none',
      latency: result.timings,
    };
  }
}

/** What nobody waited for was ended by a request that somebody waits for. */
export function overtaken(): HoneError {
  return new HoneError(
    'overtaken',
    'A request that somebody waits for came first. Ask again when something is shown.',
  );
}

/** Writes the record of an answer that is given now. */
export function writeRecord(environment: InferenceEnvironment, record: CompletionRecord): void {
  guarded(environment, record.id, () => environment.sink.recordCompletion(record));
}

function guarded(environment: InferenceEnvironment, completion: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    environment.recordFailed(error, completion);
  }
}

function stopString(result: GenerateResult, stops: string[]): string | null {
  if (result.finishReason !== 'stop' || result.ended) return null;
  const whole = result.tokens.map((token) => token.text).join('');
  const place = findStop(whole, stops);
  return stops.find((stop) => place >= 0 && whole.startsWith(stop, place)) ?? null;
}

/** `POST /v1/completions`, OpenAI's text completion. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  completionRequestSchema,
  type CompletionRequest,
  type CompletionResponse,
} from '../../../extension/common/contracts/index.ts';
import { maskSecrets } from '../../../extension/common/secrets/mask.ts';
import { confidenceOf } from '../../../extension/common/suggestion/confidence.ts';
import type { GeneratedToken, GenerateResult, ModelInfo } from '../../inference/types.ts';
import { HoneError } from '../shared/errors.ts';
import { parseBody } from '../shared/validate.ts';
import { Completion, overtaken, type Answer, type CompletionAsk } from './answer.ts';
import type { InferenceEnvironment } from './environment.ts';
import { describeTemplate } from './template.ts';
import { placeOf, type Place } from './place.ts';
import type { PromptSource } from './prompt.ts';
import { abortOnClose, EventStream, StreamedText, whileStreaming } from './stream.ts';

const MILLISECONDS_PER_SECOND = 1000;

/** Adds the route, whole answers and streamed ones. */
export function addCompletionRoute(app: FastifyInstance, environment: InferenceEnvironment): void {
  app.post('/v1/completions', async (request, reply) => {
    const body = parseBody(completionRequestSchema, request.body);
    const engine = environment.requireEngine();
    const ask = { ...askOf(body, environment), ...placeOf(request, body) };
    const completion = new Completion(environment, engine, ask);
    if (completion.prompt.tokens.length === 0) {
      throw new HoneError('invalid_request', 'Field "prompt": there is nothing to complete.', {
        param: 'prompt',
      });
    }
    const wantsLogprobs = body.logprobs !== undefined && body.logprobs !== false;
    const signal = abortOnClose(reply);
    if (body.stream === true) return streamed(reply, completion, engine.model, signal, wantsLogprobs);
    const answer = await completion.run(signal);
    if (answer.result.finishReason === 'cancelled') {
      if (completion.ask.maxTokens === 0 && !signal.aborted) throw overtaken();
      return reply.hijack();
    }
    return wholeResponse(answer, engine.model, wantsLogprobs);
  });
}

function askOf(body: CompletionRequest, environment: InferenceEnvironment): Omit<CompletionAsk, keyof Place> {
  const { defaults } = environment;
  return {
    source: sourceOf(body),
    requestPrompt: maskSecrets(body.prompt),
    maxTokens: body.max_tokens ?? defaults.maxTokens,
    temperature: body.temperature ?? defaults.temperature,
    topP: body.top_p ?? 1,
    topK: body.top_k ?? 0,
    repetitionPenalty: body.repetition_penalty ?? 1,
    stop: body.stop.filter((stop) => stop !== ''),
    seed: body.seed,
    lookAhead: body.look_ahead === true,
  };
}

function sourceOf({ prompt, suffix, files, path }: CompletionRequest): PromptSource {
  if (suffix === undefined) return { kind: 'raw', prompt };
  const document = { prefix: prompt, suffix, ...(path ? { path } : {}), ...(files ? { files } : {}) };
  return { kind: 'document', document };
}

async function streamed(
  reply: FastifyReply,
  completion: Completion,
  model: ModelInfo,
  signal: AbortSignal,
  wantsLogprobs: boolean,
): Promise<FastifyReply> {
  const stream = new EventStream(reply);
  const text = new StreamedText(completion.ask.stop);
  const offsets = new TextOffsets();
  const head = {
    id: completion.id,
    object: 'text_completion' as const,
    created: Math.floor(completion.createdAt / MILLISECONDS_PER_SECOND),
    model: model.name,
  };
  const answer = await whileStreaming(stream, () =>
    completion.run(signal, (token) => {
      const logprobs = wantsLogprobs ? logprobsOf([token], [offsets.next(token)]) : null;
      const piece = text.push(token);
      if (piece === '' && logprobs === null) return;
      stream.send({ ...head, choices: [{ index: 0, text: piece, finish_reason: null, logprobs }] });
    }),
  );
  if (answer === null) return reply;
  const last = {
    index: 0,
    text: text.rest(answer.result.text),
    finish_reason: answer.result.finishReason,
    logprobs: null,
  };
  stream.send({ ...wholeResponse(answer, model, false), choices: [last] });
  stream.send('[DONE]');
  stream.end();
  return reply;
}

function wholeResponse(answer: Answer, model: ModelInfo, wantsLogprobs: boolean): CompletionResponse {
  const { prompt, result } = answer;
  const offsets = new TextOffsets();
  return {
    id: answer.id,
    object: 'text_completion',
    created: Math.floor(answer.createdAt / MILLISECONDS_PER_SECOND),
    model: model.name,
    adapter_version: result.adapterVersion,
    adapter_scale: result.adapterScale,
    model_hash: model.hash,
    fim_template: describeTemplate(model),
    choices: [
      {
        index: 0,
        text: result.text,
        finish_reason: result.finishReason,
        logprobs: wantsLogprobs
          ? logprobsOf(
              result.tokens,
              result.tokens.map((token) => offsets.next(token)),
            )
          : null,
      },
    ],
    usage: {
      prompt_tokens: prompt.tokens.length,
      completion_tokens: result.tokens.length,
      total_tokens: prompt.tokens.length + result.tokens.length,
    },
    ...(prompt.hasSuffix ? { suffix_used: !prompt.suffixDropped } : {}),
    ...(prompt.rerendered ? { rerendered: true } : {}),
    ...(prompt.masked ? { secrets_masked: true } : {}),
    ...(prompt.truncatedTokens > 0 ? { truncated_tokens: prompt.truncatedTokens } : {}),
    ...confidenceIn(result),
    ...(answer.acceptance === null ? {} : { acceptance: answer.acceptance }),
    timings: {
      queue: result.timings.queue,
      prompt: result.timings.prompt,
      first_token: result.timings.firstToken,
      total: result.timings.total,
      cached_tokens: result.cachedTokens,
    },
  };
}

/** OpenAI's shape, and the ids beside it. Log-probabilities are those of the chosen tokens. */
function logprobsOf(tokens: GeneratedToken[], textOffsets: number[]) {
  return {
    tokens: tokens.map((token) => token.text),
    token_logprobs: tokens.map((token) => token.logprob!),
    text_offset: textOffsets,
    token_ids: tokens.map((token) => token.id),
  };
}

/** Nothing when no token was generated. */
function confidenceIn({ tokens, text }: GenerateResult): Pick<CompletionResponse, 'confidence'> {
  const logprobs = tokens.map((token) => token.modelLogprob);
  let end = 0;
  const ends = tokens.map((token) => (end += token.text.length));
  const confidence = confidenceOf(logprobs, ends, text.length);
  if (confidence === null) return {};
  return {
    confidence: {
      token_logprobs: logprobs,
      token_ends: ends,
      mean_logprob: confidence.meanLogprob,
      min_logprob: confidence.minLogprob,
      first_probability: confidence.firstProbability,
    },
  };
}

class TextOffsets {
  private offset = 0;

  next(token: GeneratedToken): number {
    const start = this.offset;
    this.offset += token.text.length;
    return start;
  }
}

/** `POST /infill`, in llama-server's shape, for the editors that speak it. */
import type { FastifyInstance } from 'fastify';
import {
  infillRequestSchema,
  type InfillRequest,
  type InfillResponse,
} from '../../../extension/common/contracts/index.ts';
import type { FimDocument } from '../../../extension/common/prompt/fim.ts';
import { maskSecrets } from '../../../extension/common/secrets/mask.ts';
import type { ModelInfo } from '../../inference/types.ts';
import { parseBody } from '../shared/validate.ts';
import { Completion, type Answer, type CompletionAsk } from './answer.ts';
import type { InferenceEnvironment } from './environment.ts';
import { placeOf, type Place } from './place.ts';
import { abortOnClose, EventStream, StreamedText, whileStreaming } from './stream.ts';

/** Adds the route, whole answers and streamed ones. */
export function addInfillRoute(app: FastifyInstance, environment: InferenceEnvironment): void {
  app.post('/infill', async (request, reply) => {
    const body = parseBody(infillRequestSchema, request.body);
    const engine = environment.requireEngine();
    const ask = { ...askOf(body, environment), ...placeOf(request, body) };
    const completion = new Completion(environment, engine, ask);
    const signal = abortOnClose(reply);
    if (body.stream !== true) {
      const answer = await completion.run(signal);
      return answer.result.finishReason === 'cancelled'
        ? reply.hijack()
        : wholeResponse(answer, engine.model);
    }
    const stream = new EventStream(reply);
    const text = new StreamedText(ask.stop);
    const answer = await whileStreaming(stream, () =>
      completion.run(signal, (token) => {
        const content = text.push(token);
        if (content !== '')
          stream.send({ index: 0, content, tokens: [token.id], stop: false, id: completion.id });
      }),
    );
    if (answer === null) return reply;
    stream.send({ ...wholeResponse(answer, engine.model), content: text.rest(answer.result.text) });
    stream.end();
    return reply;
  });
}

function askOf(body: InfillRequest, environment: InferenceEnvironment): Omit<CompletionAsk, keyof Place> {
  const { defaults } = environment;
  const predict = body.n_predict ?? -1;
  const seed = body.seed ?? -1;
  return {
    source: { kind: 'document', document: documentOf(body) },
    requestPrompt: maskSecrets(body.input_prefix + body.prompt),
    maxTokens: predict > 0 ? predict : defaults.maxTokens,
    temperature: body.temperature ?? defaults.temperature,
    topP: body.top_p ?? 1,
    topK: body.top_k ?? 0,
    repetitionPenalty: body.repeat_penalty ?? 1,
    stop: body.stop.filter((stop) => stop !== ''),
    seed: seed < 0 ? undefined : seed,
  };
}

function documentOf(body: InfillRequest): FimDocument {
  return {
    prefix: body.input_prefix + body.prompt,
    suffix: body.input_suffix,
    files: body.input_extra.map((file) => ({ path: file.filename, text: file.text })),
    ...(body.path ? { path: body.path } : {}),
  };
}

function wholeResponse({ id, prompt, result, stoppedBy }: Answer, model: ModelInfo): InfillResponse {
  const evaluated = prompt.tokens.length - result.cachedTokens;
  const predictedMs = result.timings.total - result.timings.firstToken;
  return {
    index: 0,
    content: result.text,
    tokens: result.tokens.map((token) => token.id),
    stop: true,
    stop_type: result.ended ? 'eos' : stoppedBy === null ? 'limit' : 'word',
    stopping_word: stoppedBy ?? '',
    model: model.name,
    tokens_predicted: result.tokens.length,
    tokens_evaluated: prompt.tokens.length,
    tokens_cached: result.cachedTokens,
    truncated: prompt.truncatedTokens > 0,
    has_new_line: result.text.includes('\n'),
    timings: {
      prompt_n: evaluated,
      prompt_ms: result.timings.prompt,
      predicted_n: result.tokens.length,
      predicted_ms: predictedMs,
      cache_n: result.cachedTokens,
    },
    id,
    adapter_version: result.adapterVersion,
    suffix_used: !prompt.suffixDropped,
    ...(prompt.masked ? { secrets_masked: true } : {}),
    ...(prompt.truncatedTokens > 0 ? { truncated_tokens: prompt.truncatedTokens } : {}),
  };
}

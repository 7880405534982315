/** `POST /infill`, in llama-server's shape, for the editors that speak it. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  infillRequestSchema,
  type InfillRequest,
  type InfillResponse,
} from '../../../extension/common/contracts/index.ts';
import type { FimDocument } from '../../../extension/common/prompt/fim.ts';
import { maskSecrets } from '../../../extension/common/secrets/mask.ts';
import type { ModelInfo } from '../../inference/types.ts';
import { HoneError } from '../shared/errors.ts';
import { parseBody } from '../shared/validate.ts';
import { Completion, type Answer, type CompletionAsk } from './answer.ts';
import type { InferenceEnvironment } from './environment.ts';
import { endOfInfill } from './infillLimits.ts';
import { placeOf, type Place } from './place.ts';
import { abortOnClose, EventStream, StreamedText, whileStreaming } from './stream.ts';

/** Adds the route: whole answers, several of them, streamed ones, and the reading of a prompt ahead of its request. */
export function addInfillRoute(app: FastifyInstance, environment: InferenceEnvironment): void {
  app.post('/infill', async (request, reply) => {
    const body = parseBody(infillRequestSchema, request.body);
    const engine = environment.requireEngine();
    const ask = { ...askOf(body, environment), ...placeOf(request, body) };
    const signal = abortOnClose(reply);
    if (body.stream !== true) return whole(reply, body, ask, environment, signal);
    if (body.n_cmpl > 1) {
      throw new HoneError(
        'invalid_request',
        'Field "n_cmpl": one completion is streamed at a time; leave out "stream" or "n_cmpl".',
        { param: 'n_cmpl' },
      );
    }
    const completion = new Completion(environment, engine, ask);
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

/** One answer, or with `n_cmpl` above 1 a list of that many, each a completion of its own. */
async function whole(
  reply: FastifyReply,
  body: InfillRequest,
  ask: CompletionAsk,
  environment: InferenceEnvironment,
  signal: AbortSignal,
): Promise<object> {
  const engine = environment.requireEngine();
  const answers: object[] = [];
  for (let index = 0; index < body.n_cmpl; index++) {
    const seed = ask.seed === undefined ? undefined : ask.seed + index;
    const answer = await new Completion(environment, engine, { ...ask, seed }).run(signal);
    if (signal.aborted) return reply.hijack();
    answers.push(selected({ ...wholeResponse(answer, engine.model), index }, body.response_fields));
  }
  return body.n_cmpl === 1 ? answers[0]! : answers;
}

function askOf(body: InfillRequest, environment: InferenceEnvironment): Omit<CompletionAsk, keyof Place> {
  const { defaults } = environment;
  const predict = body.n_predict ?? -1;
  const seed = body.seed ?? -1;
  const endsAt = endOfInfill({
    indentColumns: body.n_indent ?? 0,
    predictMs: body.t_max_predict_ms ?? 0,
  });
  return {
    source: { kind: 'document', document: documentOf(body) },
    requestPrompt: maskSecrets(body.input_prefix + body.prompt),
    maxTokens: predict >= 0 ? predict : defaults.maxTokens,
    temperature: body.temperature ?? defaults.temperature,
    topP: body.top_p ?? 1,
    topK: body.top_k ?? 0,
    repetitionPenalty: body.repeat_penalty ?? 1,
    stop: body.stop.filter((stop) => stop !== ''),
    ...(endsAt === undefined ? {} : { endsAt }),
    seed: seed < 0 ? undefined : seed,
  };
}

/** The fields that were asked for, by path (`timings/prompt_n`), each under that path; all when none were named. */
function selected(answer: InfillResponse, paths: string[]): object {
  if (paths.length === 0) return answer;
  const at = (value: unknown, key: string): unknown => (value as Record<string, unknown> | undefined)?.[key];
  const entries = paths.map((path) => [path, path.split('/').reduce(at, answer as unknown)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
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

/** The generation loop: prefill in chunks that an abort can act between, then one id at a time. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import type { Pace } from './pace.ts';
import { findStop, TextAssembler } from './text.ts';
import type { GenerateRequest, GeneratedToken, GenerateResult } from './types.ts';
import type { Vocabulary } from './vocabulary.ts';

/** llama.cpp's own window for the repetition penalty. */
const PENALTY_WINDOW_TOKENS = 64;
const LARGEST_SEED = 0xffff_fffe;
/** Logits of the likeliest tokens from which the probability at temperature 1 is computed. */
const TOP_LOGITS = 512;
const TOP_LOGITS_AND_DRAWN = { tokens: [], includeTop: TOP_LOGITS, includeSelected: true };

interface GenerateEnvironment {
  sequence: LlamaContextSequence;
  vocabulary: Vocabulary;
  pace: Pace;
  adapter: AdapterRef;
  /** When the request came in and when its turn came, `performance.now()`. */
  arrivedAt: number;
  startedAt: number;
}

/** Runs one request on a sequence that no other request uses meanwhile. */
export async function generateOn(
  environment: GenerateEnvironment,
  request: GenerateRequest,
): Promise<GenerateResult> {
  const { sequence, vocabulary, pace } = environment;
  const assembler = new TextAssembler(vocabulary, request.prompt);
  const sampler = new Sampler(request);
  const tokens: GeneratedToken[] = [];
  let firstTokenAt: number | null = null;
  // What was cancelled while it waited must not cut the cache that the next request goes on from.
  const isLate = request.signal?.aborted === true;
  if (request.fresh === true && !isLate) await sequence.clearHistory();
  const cachedTokens = isLate ? 0 : await reusePrefix(sequence, request.prompt);
  if (isLate || !(await prefill(environment, request))) return finish('cancelled');
  // The last chunk of the prompt gives the first id, so that no evaluation is spent on a single token.
  let input = request.prompt.slice(sequence.nextTokenIndex);
  if (request.maxTokens === 0) {
    await sequence.evaluateWithoutGeneratingNewTokens(input.slice(0, -1) as Token[]);
    return finish('length');
  }
  while (!request.signal?.aborted) {
    const sampled = await sampler.next(sequence, input);
    firstTokenAt ??= performance.now();
    const token = { ...sampled, text: assembler.push(sampled.id) };
    tokens.push(token);
    request.onToken?.(token);
    if (vocabulary.endOfGeneration.has(token.id)) return finish('stop');
    if (findStop(assembler.text, request.stop) >= 0) return finish('stop');
    const end = request.endsAt?.(assembler.text, performance.now() - firstTokenAt) ?? null;
    if (end !== null) return finish('length', end);
    if (tokens.length >= request.maxTokens) return finish('length');
    if (sequence.nextTokenIndex >= sequence.contextSize - 1) return finish('length');
    input = [token.id];
    pace.beforeToken();
  }
  return finish('cancelled');

  function finish(finishReason: GenerateResult['finishReason'], end?: number): GenerateResult {
    const now = performance.now();
    const stop = findStop(assembler.text, request.stop);
    return {
      tokens,
      text: assembler.text.slice(0, stop < 0 ? end : stop),
      finishReason,
      ended: tokens.length > 0 && vocabulary.endOfGeneration.has(tokens.at(-1)!.id),
      adapterVersion: environment.adapter.version,
      adapterScale: environment.adapter.scale,
      cachedTokens,
      timings: {
        queue: environment.startedAt - environment.arrivedAt,
        prompt: (firstTokenAt ?? now) - environment.startedAt,
        firstToken: (firstTokenAt ?? now) - environment.arrivedAt,
        total: now - environment.arrivedAt,
      },
    };
  }
}

/** Keeps what the cache shares with the prompt's beginning, the last id excepted: its logits are wanted. */
async function reusePrefix(sequence: LlamaContextSequence, prompt: readonly number[]): Promise<number> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1) as Token[], false);
  return sequence.nextTokenIndex;
}

/** Evaluates all but the prompt's last chunk; false when the request was aborted on the way. */
async function prefill({ sequence, pace }: GenerateEnvironment, request: GenerateRequest): Promise<boolean> {
  for (;;) {
    const chunk = pace.beforePrompt();
    const start = sequence.nextTokenIndex;
    if (request.prompt.length - start <= chunk) return true;
    if (request.signal?.aborted) return false;
    await sequence.evaluateWithoutGeneratingNewTokens(request.prompt.slice(start, start + chunk) as Token[]);
  }
}

/**
 * Draws ids and their log-probabilities, log-softmax(logits / τ) in nats, at temperature 0 those of τ = 1.
 *
 * Without truncation and penalty they are exact to 32-bit rounding. With top-k, top-p or a penalty they are those of
 * the distribution that was really drawn from, which is not the model's own.
 *
 * The log-probability at temperature 1 of a token that was drawn at another one is computed from the likeliest tokens'
 * logits; reading all 50,000 takes longer than computing them. What is left out makes it too high: by 0.006 nats at
 * the median and 0.23 at most with the embedded model on TypeScript.
 */
class Sampler {
  private readonly request: GenerateRequest;
  private readonly history: number[];
  private readonly seeds: () => number;

  constructor(request: GenerateRequest) {
    this.request = request;
    this.history = [...request.prompt];
    const seed = request.seed ?? Math.floor(Math.random() * LARGEST_SEED);
    const random = xoroshiro128plus(seed);
    this.seeds = () => uniformInt(random, 0, LARGEST_SEED);
  }

  async next(
    sequence: LlamaContextSequence,
    input: readonly number[],
  ): Promise<Omit<GeneratedToken, 'text'>> {
    const { temperature, topK, topP } = this.request;
    const greedy = temperature === 0;
    const wantsLogits = !greedy && temperature !== 1;
    const items = input.slice(0, -1) as ControlledEvaluateInputItem[];
    items.push([
      input.at(-1) as Token,
      {
        generateNext: {
          token: true,
          // Greedy: Σ exp(logit − largest) is enough, and spares sorting the vocabulary. Otherwise it is sorted anyway.
          ...(greedy ? { totalLogitWeight: true } : { confidence: true }),
          ...(wantsLogits ? { logits: { filter: TOP_LOGITS_AND_DRAWN } } : {}),
          options: { temperature, topK, topP, minP: 0, seed: this.seeds(), ...this.penalty() },
        },
      },
    ]);
    const next = (await sequence.controlledEvaluate(items))[items.length - 1]?.next;
    const id = next?.token;
    if (id === undefined || id === null) throw new Error('llama.cpp returned no token.');
    this.history.push(id);
    const logprob = Math.log(greedy ? 1 / next!.totalLogitWeight! : next!.confidence!);
    return { id, logprob, modelLogprob: wantsLogits ? atOne(id, next!.logits!, temperature) : logprob };
  }

  private penalty(): object {
    if (this.request.repetitionPenalty === 1) return {};
    const punishTokens = this.history.slice(-PENALTY_WINDOW_TOKENS) as Token[];
    return { repeatPenalty: { punishTokens, penalty: this.request.repetitionPenalty } };
  }
}

/** Log-probability at temperature 1 from logits that were divided by a temperature. */
function atOne(id: Token, scaled: ReadonlyMap<Token, number>, temperature: number): number {
  const largest = Math.max(...scaled.values());
  let weight = 0;
  for (const logit of scaled.values()) weight += Math.exp((logit - largest) * temperature);
  return (scaled.get(id)! - largest) * temperature - Math.log(weight);
}

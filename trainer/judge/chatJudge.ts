/** A language model as judge, behind any server with OpenAI's chat completions. */
import PQueue from 'p-queue';
import { Agent, request, type Dispatcher } from 'undici';
import * as z from 'zod';
import { HoneError } from '../server/shared/errors.ts';
import type { JudgeItem } from './dataset.ts';
import type { Judge } from './judge.ts';
import { judgeMessages, PROMPT_VERSION, type ChatMessage } from './judgePrompt.ts';
import { Retrier, retryAfterMs, systemClock, type Attempt, type Clock, type RetryOptions } from './retry.ts';
import { readVerdict, type Verdict } from './verdict.ts';
import { VerdictCache } from './verdictCache.ts';

export interface ChatJudgeOptions extends RetryOptions {
  /** Base address of the server, or the whole one of its chat completions. */
  url: string;
  /** Null: no key is sent. */
  apiKey: string | null;
  model: string;
  /** Questions at a time. */
  concurrency: number;
  /** After which an answer that is not there is given up. */
  timeoutMs: number;
  /** Longest answer. */
  maxAnswerTokens: number;
  cacheFolder: string;
}

const CHAT_PATH = '/chat/completions';
/** Statuses that every question would be answered with: the address, the key or the model's name is wrong. */
const REFUSALS = new Set([401, 403, 404]);
/** Statuses below 500 that pass: too slow, too early, too many. */
const PASSING = new Set([408, 425, 429]);
const QUOTED_CHARS = 200;

const answerSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullable() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
});

interface Answer {
  content: string;
  cutOff: boolean;
}

export class ChatJudge implements Judge {
  readonly kind = 'chat';
  private readonly options: ChatJudgeOptions;
  private readonly clock: Clock;
  private readonly retrier: Retrier;
  private readonly queue: PQueue;
  private readonly cache: VerdictCache;
  /** Equal completions of a group are one question. */
  private readonly underway = new Map<string, Promise<Verdict>>();
  private readonly agent: Agent;
  private readonly url: string;
  /** The server would answer every question so: what waits is not asked. */
  private refusal: HoneError | null = null;

  constructor(options: ChatJudgeOptions, clock: Clock = systemClock) {
    this.options = options;
    this.clock = clock;
    this.url = chatAddress(options.url);
    this.retrier = new Retrier(options, clock);
    this.queue = new PQueue({ concurrency: options.concurrency });
    this.cache = new VerdictCache(options.cacheFolder);
    const { timeoutMs } = options;
    this.agent = new Agent({
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
    });
  }

  /** @throws HoneError `judge_refused` when the server would refuse every question. */
  async judge(item: JudgeItem, completion: string): Promise<Verdict> {
    const messages = judgeMessages(item, completion);
    const texts = messages.map(({ content }) => content);
    const key = VerdictCache.key(this.options.model, PROMPT_VERSION, texts);
    const known = this.cache.get(key);
    if (known !== undefined) return { score: known, cached: true };
    const underway = this.underway.get(key);
    if (underway !== undefined) return asCached(await underway);
    const verdict = this.queue.add(() => this.ask(key, messages));
    this.underway.set(key, verdict);
    try {
      return await verdict;
    } finally {
      this.underway.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(key: string, messages: ChatMessage[]): Promise<Verdict> {
    if (this.refusal !== null) throw this.refusal;
    const result = await this.retrier.ask(key, () => this.exchange(messages));
    if ('lost' in result) return result;
    const { content, cutOff } = result.answer;
    const verdict = readVerdict(content);
    if ('score' in verdict) this.cache.set(key, verdict.score);
    else if (cutOff) return { lost: 'cutOff' };
    return verdict;
  }

  private async exchange(messages: ChatMessage[]): Promise<Attempt<Answer>> {
    const { apiKey, model, timeoutMs, maxAnswerTokens } = this.options;
    let response: Dispatcher.ResponseData;
    let text: string;
    try {
      response = await request(this.url, {
        dispatcher: this.agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, messages, temperature: 0, max_tokens: maxAnswerTokens, stream: false }),
        // Headers and body each have undici's limit; this one is on both together.
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.body.text();
    } catch (error) {
      return { failure: isTimeout(error) ? 'timeout' : 'connection', passes: true };
    }
    const { statusCode } = response;
    if (REFUSALS.has(statusCode)) throw (this.refusal ??= this.refused(statusCode, text));
    if (statusCode !== 200) {
      const after = retryAfterMs([response.headers['retry-after']].flat()[0], this.clock.now());
      return {
        failure: `http${statusCode}`,
        passes: PASSING.has(statusCode) || statusCode >= 500,
        retryAfterMs: after,
      };
    }
    const answer = parseAnswer(text);
    return answer === null ? { failure: 'notChat', passes: false } : { answer };
  }

  private refused(status: number, text: string): HoneError {
    const quoted = text.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED_CHARS);
    return new HoneError(
      'judge_refused',
      `The judge at ${this.url} answered ${status}: ${quoted}. ` +
        'Correct LLMASJUDGE_API_URL, LLMASJUDGE_API_KEY or LLMASJUDGE_MODEL.',
    );
  }
}

/** The chat completions of a server named by its base address, with or without `/v1`, or named whole. */
export function chatAddress(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  if (trimmed.endsWith(CHAT_PATH)) return trimmed;
  return new URL(trimmed).pathname === '/' ? `${trimmed}/v1${CHAT_PATH}` : `${trimmed}${CHAT_PATH}`;
}

function asCached(verdict: Verdict): Verdict {
  return 'score' in verdict ? { ...verdict, cached: true } : verdict;
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code ?? '');
}

function parseAnswer(text: string): Answer | null {
  try {
    const [choice] = answerSchema.parse(JSON.parse(text)).choices;
    return { content: choice!.message.content ?? '', cutOff: choice!.finish_reason === 'length' };
  } catch {
    return null;
  }
}

/** `hone client`: plays a small editor against running services, its own or anyone's. */
import type { Command } from 'commander';
import type * as z from 'zod';
import {
  completionResponseSchema,
  submitResponseSchema,
  trainingStatusSchema,
  type CompletionRequestInput,
  type CompletionResponse,
  type FlatFeedback,
} from '../../extension/common/contracts/index.ts';
import { askService } from '../askService.ts';
import { parsePositive } from './options.ts';
import { addTokenOptions, type TokenOptions } from './running.ts';
import { CLIENT_PROMPTS, type ClientPrompt } from './clientPrompts.ts';

interface ClientOptions extends TokenOptions {
  url: string;
  feedbackUrl: string;
  count: number;
  json: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:8081';
const DEFAULT_FEEDBACK_URL = 'http://127.0.0.1:8082';
const MAX_TOKENS = 32;
const TEXT_WIDTH = 48;
/** The model may be loading, or an update be under way on a slow computer. */
const ANSWER_TIMEOUT_MS = 120_000;

/** Adds `client`. */
export function addClientCommand(program: Command): void {
  const command = program
    .command('client')
    .description('test client: asks for completions, submits feedback, prints what came back')
    .option('--url <url>', 'inference service', DEFAULT_URL)
    .option('--feedback-url <url>', 'feedback service', DEFAULT_FEEDBACK_URL);
  addTokenOptions(command)
    .option('-n, --count <n>', 'completion requests', parsePositive, CLIENT_PROMPTS.length)
    .option('--json', 'answer in JSON', false)
    .action(client);
}

interface Exchange {
  id: string;
  text: string;
  adapterVersion: number;
  milliseconds: number;
  accepted: boolean;
  queuePosition: number;
}

/** Accepts a completion when it begins with what the prompt's author wrote, and says what was wanted otherwise. */
async function client(options: ClientOptions): Promise<void> {
  const exchanges: Exchange[] = [];
  for (let index = 0; index < options.count; index++) {
    const exchange = await exchangeOne(options, CLIENT_PROMPTS[index % CLIENT_PROMPTS.length]!);
    exchanges.push(exchange);
    if (!options.json) console.log(line(index, exchange));
  }
  const status = await ask(options, 'feedback', '/api/training/status', trainingStatusSchema);
  if (options.json) {
    console.log(JSON.stringify({ completions: exchanges, status }));
    return;
  }
  const accepted = exchanges.filter((exchange) => exchange.accepted).length;
  console.log(`\n${accepted} of ${exchanges.length} accepted. Status: ${status.state},`);
  console.log(
    `stored ${status.stored}, queued ${status.queued}, held out ${status.heldOut}, trained ${status.trained}, adapter ${status.adapterVersion}`,
  );
}

async function exchangeOne(options: ClientOptions, prompt: ClientPrompt): Promise<Exchange> {
  const body: CompletionRequestInput = {
    prompt: prompt.prefix,
    suffix: prompt.suffix,
    path: prompt.path,
    max_tokens: MAX_TOKENS,
    stop: ['\n'],
  };
  const startedAt = performance.now();
  const answer = await ask(options, 'inference', '/v1/completions', completionResponseSchema, body);
  const milliseconds = performance.now() - startedAt;
  const text = answer.choices[0]!.text;
  const accepted = text !== '' && prompt.wanted.startsWith(text.trimEnd());
  const feedback = feedbackOf(prompt, answer, text, accepted);
  const submitted = await ask(options, 'feedback', '/api/training/submit', submitResponseSchema, feedback);
  return {
    id: answer.id,
    text,
    adapterVersion: answer.adapter_version,
    milliseconds,
    accepted,
    queuePosition: submitted.queue_position,
  };
}

function feedbackOf(
  prompt: ClientPrompt,
  answer: CompletionResponse,
  text: string,
  accepted: boolean,
): FlatFeedback {
  return {
    completionId: answer.id,
    filepath: prompt.path,
    prefix: prompt.prefix,
    suffix: prompt.suffix,
    prompt: prompt.prefix,
    completion: text,
    modelProvider: 'hone',
    modelName: answer.model,
    accepted,
    timestamp: Date.now(),
    numLines: text.split('\n').length,
    cacheHit: false,
    ...(accepted ? {} : { typed: prompt.wanted }),
  };
}

/** Asks one of the two services, and gives the answer by its schema. */
function ask<Schema extends z.ZodType>(
  options: ClientOptions,
  service: 'inference' | 'feedback',
  path: string,
  schema: Schema,
  body?: object,
): Promise<z.output<Schema>> {
  const inference = service === 'inference';
  return askService(`${inference ? options.url : options.feedbackUrl}${path}`, schema, {
    ...(body === undefined ? {} : { body }),
    token: inference ? options.token : (options.feedbackToken ?? options.token),
    timeoutMs: ANSWER_TIMEOUT_MS,
    remedy: 'Start it with "hone serve", or name another address with --url and --feedback-url.',
    option: inference ? '--url' : '--feedback-url',
  });
}

function line(index: number, exchange: Exchange): string {
  const text = JSON.stringify(exchange.text).slice(0, TEXT_WIDTH).padEnd(TEXT_WIDTH);
  const verdict = exchange.accepted ? 'accepted' : 'rejected';
  return `${String(index + 1).padStart(3)}  ${text}  ${exchange.milliseconds.toFixed(0).padStart(5)} ms  v${exchange.adapterVersion}  ${verdict}  queue ${exchange.queuePosition}`;
}

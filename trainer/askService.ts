/** Asks a service of Hone's over HTTP: the way of every command, and of the simulated developer. */
import { Agent, fetch, type Response } from 'undici';
import type * as z from 'zod';
import { errorResponseSchema } from '../extension/common/contracts/index.ts';
import { NO_TOKEN } from './server/shared/access.ts';
import { HoneError } from './server/shared/errors.ts';

/** An update may take minutes: its answer is waited for. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
/** Of an answer that is not understood, so much is repeated. */
const QUOTED_CHARS = 120;

interface Question {
  /** Absent: GET without a body, POST with one. */
  method?: 'GET' | 'POST' | 'DELETE';
  body?: object;
  /** Absent or `none`: no token is sent. */
  token?: string | undefined;
  /** Absent: the answer is waited for, however long it takes. */
  timeoutMs?: number;
  /** What to do when it is not Hone that answers, or nobody: the end of the error message. */
  remedy: string;
  /** Option of the command line that named the address. */
  option?: string;
}

/**
 * The answer, checked against its schema.
 *
 * @param address URL of the route; a user may have written the service's with a slash at its end
 * @throws HoneError `unreachable` when nothing answers, `refused` with what the service said when it answers with an
 *   error, `not_hone` when what answers is something else.
 */
export async function askService<Schema extends z.ZodType>(
  address: string,
  schema: Schema,
  question: Question,
): Promise<z.output<Schema>> {
  const url = address.replaceAll(/(?<!:)\/{2,}/g, '/');
  const details = question.option === undefined ? {} : { param: question.option };
  const { response, text } = await exchange(url, question).catch((error: Error) => {
    const why = reasonOf(error);
    const message = `No answer from ${url} (${why}). ${question.remedy}`;
    throw new HoneError('unreachable', message, { ...details, cause: error });
  });
  const body = parseJson(text);
  const refusal = response.ok ? undefined : errorResponseSchema.safeParse(body).data;
  if (refusal !== undefined)
    throw new HoneError('refused', `${url} answered ${response.status}: ${refusal.error.message}`, details);
  const parsed = schema.safeParse(body);
  if (response.ok && parsed.success) return parsed.data;
  const found = response.ok && body !== undefined ? issueOf(parsed.error!) : quote(response, text);
  const message = `What answers at ${url} is not Hone, or another version of it: ${found}. ${question.remedy}`;
  throw new HoneError('not_hone', message, details);
}

async function exchange(url: string, question: Question): Promise<{ response: Response; text: string }> {
  const { body, token, timeoutMs } = question;
  if (!/^https?:\/\//.test(url)) throw new Error('an address begins with http://');
  const response = await fetch(url, {
    dispatcher: patient,
    method: question.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined || token === NO_TOKEN ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  });
  return { response, text: await response.text() };
}

/** Undici says "fetch failed"; why is in its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function issueOf({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : '';
  return `field "${path.map(String).join('.')}" of its answer: ${message}${more}`;
}

function quote(response: Response, text: string): string {
  const start = text.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED_CHARS);
  const type = response.headers.get('content-type') ?? 'no content type';
  return `instead of Hone's JSON it sent status ${response.status} (${type}): ${start}`;
}

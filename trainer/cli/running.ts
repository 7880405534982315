/** Talks to the companion that holds the data folder, when a command finds one there. */
import { Agent, fetch, type Response } from 'undici';
import { Option, type Command } from 'commander';
import { FEEDBACK_TOKEN_VARIABLE, TOKEN_VARIABLE } from '../../extension/common/companion.ts';
import { errorResponseSchema, type CompanionLock } from '../../extension/common/contracts/index.ts';
import { tokenFingerprint } from '../lock.ts';
import { NO_TOKEN } from '../server/shared/access.ts';
import { HoneError } from '../server/shared/errors.ts';

/** An update may take minutes: its answer is waited for. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

export interface TokenOptions {
  token?: string;
  feedbackToken?: string;
}

/** Adds `--token` and `--feedback-token` of services that are running. */
export function addTokenOptions(command: Command): Command {
  return command
    .addOption(new Option('--token <token>', 'bearer token of the running companion').env(TOKEN_VARIABLE))
    .addOption(
      new Option('--feedback-token <token>', 'bearer token of its feedback service, when it differs').env(
        FEEDBACK_TOKEN_VARIABLE,
      ),
    );
}

/**
 * Asks the feedback service of a running companion; an answer may take as long as an update.
 *
 * @throws HoneError with what the service said, or because the token is missing or another one.
 */
export async function askRunning(
  running: CompanionLock,
  options: TokenOptions,
  method: 'GET' | 'POST',
  path: string,
): Promise<unknown> {
  const url = `${feedbackUrl(running)}${path}`;
  const headers = authorization(running, options);
  let response: Response;
  try {
    response = await fetch(url, { method, headers, dispatcher: patient });
  } catch (error) {
    throw new HoneError(
      'unreachable',
      `The companion ${running.pid} does not answer at ${url}. Try again in a moment, or end it.`,
      { cause: error },
    );
  }
  const body: unknown = await response.json();
  if (response.ok) return body;
  const refused = errorResponseSchema.safeParse(body);
  const why = refused.success ? refused.data.error.message : JSON.stringify(body);
  throw new HoneError('refused', `The companion ${running.pid} answered ${response.status}: ${why}`);
}

function feedbackUrl(running: CompanionLock): string {
  if (running.feedbackPort === null)
    throw new HoneError('loading', `The companion ${running.pid} is still starting. Try again in a moment.`);
  const host = running.host.includes(':') ? `[${running.host}]` : running.host;
  return `http://${host}:${running.feedbackPort}`;
}

function authorization(running: CompanionLock, options: TokenOptions): Record<string, string> {
  const wanted = running.feedbackTokenFingerprint;
  if (wanted === null) return {};
  const token = [options.feedbackToken, options.token].find(
    (candidate) =>
      candidate !== undefined && candidate !== NO_TOKEN && tokenFingerprint(candidate) === wanted,
  );
  if (token === undefined)
    throw new HoneError(
      'unauthorized',
      `The companion ${running.pid} runs on this data folder and wants its token. Give it with --token, or in ${TOKEN_VARIABLE}.`,
      { param: '--token' },
    );
  return { authorization: `Bearer ${token}` };
}

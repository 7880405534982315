/** Talks to the companion that holds the data folder, when a command finds one there. */
import { Option, type Command } from 'commander';
import type * as z from 'zod';
import { FEEDBACK_TOKEN_VARIABLE, TOKEN_VARIABLE } from '../../extension/common/companion.ts';
import type { CompanionLock } from '../../extension/common/contracts/index.ts';
import { askService } from '../askService.ts';
import { tokenFingerprint } from '../lock.ts';
import { NO_TOKEN } from '../server/shared/access.ts';
import { HoneError } from '../server/shared/errors.ts';
import { serviceUrl } from '../server/shared/serviceUrl.ts';

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
export async function askRunning<Schema extends z.ZodType>(
  running: CompanionLock,
  options: TokenOptions,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  schema: Schema,
  body?: object,
): Promise<z.output<Schema>> {
  return askService(`${feedbackUrl(running)}${path}`, schema, {
    method,
    body,
    token: tokenFor(running, options),
    remedy: `The companion ${running.pid} should: try again in a moment, or end it.`,
  });
}

function feedbackUrl(running: CompanionLock): string {
  if (running.feedbackPort === null)
    throw new HoneError('loading', `The companion ${running.pid} is still starting. Try again in a moment.`);
  return serviceUrl(running.host, running.feedbackPort);
}

function tokenFor(running: CompanionLock, options: TokenOptions): string {
  const wanted = running.feedbackTokenFingerprint;
  if (wanted === null) return NO_TOKEN;
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
  return token;
}

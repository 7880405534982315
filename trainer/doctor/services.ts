/** The companion that runs, or the ports that one would take. */
import { createServer } from 'node:net';
import {
  healthSchema,
  trainingStatusSchema,
  type CompanionLock,
  type TrainingStatus,
} from '../../extension/common/contracts/index.ts';
import { askService } from '../askService.ts';
import { serviceUrl } from '../server/shared/serviceUrl.ts';
import type { Config } from '../config/schema.ts';
import { tokenFingerprint } from '../lock.ts';
import { NO_TOKEN } from '../server/shared/access.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

const TIMEOUT_MS = 5_000;
const WHO_LISTENS: Partial<Record<NodeJS.Platform, (port: number) => string>> = {
  linux: (port) => `ss -ltnp 'sport = :${port}'`,
  darwin: (port) => `lsof -nP -iTCP:${port} -sTCP:LISTEN`,
  win32: (port) => `netstat -ano | findstr :${port}`,
};

/** Whether the ports of the configuration can be had. */
export async function portFindings({ server }: Config): Promise<Finding[]> {
  const { host, inferencePort, feedbackPort } = server;
  const findings: Finding[] = [];
  for (const [port, option] of [
    [inferencePort, '--inference-port'],
    [feedbackPort, '--feedback-port'],
  ] as const) {
    const why = port === 0 ? null : await whyTaken(host, port);
    if (why === null) continue;
    const who = WHO_LISTENS[process.platform]?.(port);
    findings.push(
      problem(
        'ports',
        `Port ${port} of ${host} can't be had: ${await describe(host, port, why)}.`,
        `End that program or choose another port with ${option} (0 picks a free one).${who === undefined ? '' : ` Who has it: ${who}`}`,
      ),
    );
  }
  if (findings.length > 0) return findings;
  const fixed = [inferencePort, feedbackPort].filter((port) => port !== 0);
  const text =
    fixed.length === 0 ? 'Free ports are picked at the start.' : `Free on ${host}: ${fixed.join(', ')}.`;
  return [ok('ports', text)];
}

/** What a running companion answers, and how its learning stands when one of the tokens is its own. */
export async function companionFindings(
  running: CompanionLock,
  tokens: readonly string[],
): Promise<{ findings: Finding[]; status: TrainingStatus | null }> {
  const findings: Finding[] = [];
  for (const [name, port] of [
    ['Completions', running.inferencePort],
    ['Feedback', running.feedbackPort],
  ] as const) {
    if (port === null)
      findings.push(
        warning(
          'companion',
          `${name}: the companion ${running.pid} does not listen yet.`,
          'It loads the model; look again in a minute.',
        ),
      );
    else findings.push(await healthOf(name, running, port));
  }
  const token = tokenOf(running, tokens);
  if (token === null) {
    findings.push(tokenFinding(running, tokens));
    return { findings, status: null };
  }
  return { findings, status: await statusOf(running, token, findings) };
}

async function healthOf(name: string, running: CompanionLock, port: number): Promise<Finding> {
  const url = serviceUrl(running.host, port);
  try {
    const health = await askService(`${url}/health`, healthSchema, {
      timeoutMs: TIMEOUT_MS,
      remedy: `The companion ${running.pid} should be there.`,
    });
    if (health.fellBack !== undefined)
      return warning(
        'companion',
        `${name} at ${url}: the embedded model stands in for one that could not be loaded (${health.fellBack}).`,
        '`hone doctor --model PATH` with that model tells why.',
      );
    if (health.status === 'ok')
      return ok(
        'companion',
        `${name} at ${url}: model ${health.model}, adapter version ${health.adapterVersion}.`,
      );
    return problem('companion', `${name} at ${url}: ${health.error ?? health.status}.`, 'Its log has more.');
  } catch (error) {
    return problem(
      'companion',
      (error as Error).message,
      `It holds the data folder and does not answer: end process ${running.pid} and start again.`,
    );
  }
}

async function statusOf(
  running: CompanionLock,
  token: string,
  findings: Finding[],
): Promise<TrainingStatus | null> {
  if (running.feedbackPort === null) return null;
  try {
    return await askService(
      `${serviceUrl(running.host, running.feedbackPort)}/api/training/status`,
      trainingStatusSchema,
      { timeoutMs: TIMEOUT_MS, token, remedy: 'Its log has more.' },
    );
  } catch (error) {
    findings.push(problem('companion', (error as Error).message, 'Look at the log of the companion.'));
    return null;
  }
}

function tokenOf(
  { feedbackTokenFingerprint: wanted }: CompanionLock,
  tokens: readonly string[],
): string | null {
  if (wanted === null) return NO_TOKEN;
  return tokens.find((token) => tokenFingerprint(token) === wanted) ?? null;
}

function tokenFinding(running: CompanionLock, tokens: readonly string[]): Finding {
  if (tokens.length === 0)
    return ok(
      'token',
      'The companion wants a token, and none was given: how its learning stands is read from the database.',
    );
  return warning(
    'token',
    `The token that was given is not the one that the companion ${running.pid} wants: clients that send it are answered 401.`,
    'Take the one that `hone serve` printed, or set HONE_TOKEN before it starts.',
  );
}

/** Null: it is free. */
async function whyTaken(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function describe(host: string, port: number, why: string): Promise<string> {
  if (why === 'EACCES') return 'this account may not use it';
  if (why === 'EADDRNOTAVAIL' || why === 'ENOTFOUND') return 'this computer has no such address';
  if (why !== 'EADDRINUSE') return why;
  try {
    await askService(`${serviceUrl(host, port)}/health`, healthSchema, { timeoutMs: TIMEOUT_MS, remedy: '' });
    return 'a companion of another data folder has it';
  } catch {
    return 'another program has it';
  }
}

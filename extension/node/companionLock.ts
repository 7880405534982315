import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPANION_FILE, companionLockSchema, type CompanionLock } from '../common/contracts/lock.ts';
import type { Endpoints } from './companionClient.ts';
import { fingerprint, type Tokens } from './tokens.ts';

type Found =
  | { state: 'none' }
  /** A companion has the data folder, but doesn't listen yet. */
  | { state: 'starting'; pid: number }
  | { state: 'running'; pid: number; startedAt: number; endpoints: Endpoints }
  /** It runs with other tokens than this installation's. */
  | { state: 'foreign'; pid: number };

/** What the data folder says about a companion. A file of a dead process says nothing. */
export async function findCompanion(dataDir: string, tokens: Tokens): Promise<Found> {
  const lock = await readLock(dataDir);
  if (!lock || !isAlive(lock.pid)) return { state: 'none' };
  const { pid, inferencePort, feedbackPort } = lock;
  if (inferencePort === null || feedbackPort === null) return { state: 'starting', pid };
  const ours =
    fits(lock.inferenceTokenFingerprint, tokens.inference) &&
    fits(lock.feedbackTokenFingerprint, tokens.feedback);
  if (!ours) return { state: 'foreign', pid };
  const host = reachable(lock.host);
  const endpoints = {
    inference: `http://${host}:${inferencePort}`,
    feedback: `http://${host}:${feedbackPort}`,
  };
  return { state: 'running', pid, startedAt: lock.startedAt, endpoints };
}

/** Whether a process of that id lives, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A null fingerprint is a service that wants no token. */
function fits(theirs: string | null, token: string): boolean {
  return theirs === null || theirs === fingerprint(token);
}

/** One that listens on every address is reached by the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function readLock(dataDir: string): Promise<CompanionLock | undefined> {
  try {
    return companionLockSchema.parse(JSON.parse(await readFile(join(dataDir, COMPANION_FILE), 'utf8')));
  } catch {
    // Not there, or being replaced this moment: the next look will tell.
    return undefined;
  }
}

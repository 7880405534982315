import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import {
  learnerReplySchema,
  type LearnerReply,
  type LearnerRequest,
  type Score,
} from '../../extension/common/contracts/index.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';

/** What a process may say when it is asked to end before it is killed. */
const SHUTDOWN_GRACE_MS = 2_000;
const LOG_LINE_CHARS = 2_000;
/** Starting means loading the model, in silence. */
const START_SILENCE_MS = 180_000;
/** What the learner says when it can't write the adapter. */
const NO_ROOM_CODE = 'write_failed';

export interface LearnerProcessOptions {
  /** Program that runs the learner; a `.ts` file or a bundle. */
  entry: string;
  init: Extract<LearnerRequest, { type: 'init' }>;
  /** Milliseconds without a word, pauses not counted, after which it is killed. */
  silenceMs: number;
  logger: Logger;
}

export type LearnerReady = Extract<LearnerReply, { type: 'ready' }>;
export type LearnerUpdated = Extract<LearnerReply, { type: 'updated' }>;
export type LearnerProgress = Extract<LearnerReply, { type: 'progress' }>;

interface Waiting {
  id: string | null;
  onProgress: (progress: LearnerProgress) => void;
  resolve: (reply: LearnerReply) => void;
  reject: (error: Error) => void;
}

/**
 * One learner process, started below normal priority. It answers one request at a time; when it dies, falls
 * silent or says what no learner says, the request in flight fails with `learner_failed` and the process is over.
 * One that has no room to write fails the request with `storage_full` and goes on.
 */
export class LearnerProcess {
  readonly pid: number;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly options: LearnerProcessOptions;
  private waiting: Waiting | null = null;
  private silence: NodeJS.Timeout | null = null;
  private paused = false;
  private ended: Error | null = null;
  private readonly exited: Promise<void>;

  constructor(options: LearnerProcessOptions) {
    this.options = options;
    this.child = spawn(process.execPath, [options.entry], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: learnerEnvironment(),
      windowsHide: true,
    });
    this.pid = this.child.pid ?? 0;
    this.exited = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.listen();
    if (this.pid > 0) lowerPriority(this.pid, options.logger);
  }

  get alive(): boolean {
    return this.ended === null;
  }

  /** Loads the model; resolves when the learner can take requests. */
  async start(): Promise<LearnerReady> {
    const reply = await this.ask(this.options.init, null, () => {});
    if (reply.type === 'ready') return reply;
    this.kill(`answered "${reply.type}" to its start`);
    throw this.ended!;
  }

  async update(
    request: Extract<LearnerRequest, { type: 'update' }>,
    onProgress: (progress: LearnerProgress) => void,
  ): Promise<LearnerUpdated> {
    const reply = await this.ask(request, request.id, onProgress);
    if (reply.type === 'updated') return reply;
    this.kill(`answered an update with "${reply.type}"`);
    throw this.ended!;
  }

  /** Log-probability of texts under an adapter, from one teacher-forced pass each. */
  async score(request: Extract<LearnerRequest, { type: 'score' }>): Promise<Score[]> {
    const reply = await this.ask(request, request.id, () => {});
    return (reply as Extract<LearnerReply, { type: 'scores' }>).scores;
  }

  /** Stops the work between two graphs until resumed; time that it rests does not count as silence. */
  setPaused(paused: boolean): void {
    if (this.paused === paused || this.ended !== null) return;
    this.paused = paused;
    this.send({ type: paused ? 'pause' : 'resume' });
    this.watchSilence();
  }

  /** Asks the process to end, kills it when it does not. */
  async dispose(): Promise<void> {
    if (this.ended === null) {
      this.send({ type: 'shutdown' });
      this.child.stdin.end();
      const timer = setTimeout(() => this.child.kill('SIGKILL'), SHUTDOWN_GRACE_MS);
      await this.exited;
      clearTimeout(timer);
    }
    await this.exited;
  }

  private ask(
    request: LearnerRequest,
    id: string | null,
    onProgress: (progress: LearnerProgress) => void,
  ): Promise<LearnerReply> {
    if (this.ended !== null) return Promise.reject(this.ended);
    if (this.waiting !== null) throw new Error('The learner answers one request at a time.');
    return new Promise((resolve, reject) => {
      this.waiting = { id, onProgress, resolve, reject };
      this.send(request);
      this.watchSilence();
    });
  }

  private send(request: LearnerRequest): void {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(request)}\n`);
  }

  private listen(): void {
    const { child } = this;
    createInterface({ input: child.stdout }).on('line', (line) => this.hear(line));
    createInterface({ input: child.stderr }).on('line', (line) =>
      this.options.logger.info({ learner: this.pid }, line.slice(0, LOG_LINE_CHARS)),
    );
    // A write to a process that has just died fails; its end is told by `close`.
    child.stdin.on('error', () => {});
    child.once('error', (error) => this.end(`could not be started: ${error.message}`));
    child.once('close', (code, signal) =>
      this.end(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  }

  private hear(line: string): void {
    if (this.ended !== null || line.trim() === '') return;
    const reply = parseReply(line);
    const { waiting } = this;
    if (reply === null) {
      this.kill(`said what no learner says: ${JSON.stringify(line.slice(0, 200))}`);
      return;
    }
    this.watchSilence();
    if (waiting === null) return;
    if (reply.type === 'error') {
      const code = reply.code === NO_ROOM_CODE ? 'storage_full' : 'learner_failed';
      this.settle((w) =>
        w.reject(new HoneError(code, `The learner failed (${reply.code}): ${reply.message}`)),
      );
      return;
    }
    const id = 'id' in reply ? reply.id : null;
    if (id !== waiting.id) {
      this.kill(`answered another request (${id}) than the one asked (${waiting.id})`);
    } else if (reply.type === 'progress') {
      waiting.onProgress(reply);
    } else {
      this.settle((w) => w.resolve(reply));
    }
  }

  private settle(act: (waiting: Waiting) => void): void {
    const { waiting } = this;
    this.waiting = null;
    this.watchSilence();
    if (waiting !== null) act(waiting);
  }

  private watchSilence(): void {
    if (this.silence !== null) clearTimeout(this.silence);
    this.silence = null;
    if (this.waiting === null || this.paused || this.ended !== null) return;
    const starting = this.waiting.id === null;
    const limitMs = starting ? START_SILENCE_MS : this.options.silenceMs;
    this.silence = setTimeout(() => this.kill(`said nothing for ${limitMs / 1000} s`), limitMs);
  }

  private kill(why: string): void {
    this.child.kill('SIGKILL');
    this.end(why);
  }

  private end(why: string): void {
    if (this.ended !== null) return;
    this.ended = new HoneError(
      'learner_failed',
      `The learner process ${this.pid} ${why}. No event is lost; the update is tried again. The log has its last words.`,
    );
    this.settle((waiting) => waiting.reject(this.ended!));
  }
}

/** The learner runs in the same runtime: under Electron it must be told to be Node. */
function learnerEnvironment(): NodeJS.ProcessEnv {
  if (process.versions.electron === undefined) return process.env;
  return { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
}

function lowerPriority(pid: number, logger: Logger): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    logger.warn({ err: error, pid }, 'The learner runs at normal priority: it could not be lowered.');
  }
}

function parseReply(line: string): LearnerReply | null {
  try {
    const parsed = learnerReplySchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

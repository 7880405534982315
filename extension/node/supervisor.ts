import { HEALTH_INTERVAL_MS, serveArguments, type CompanionOptions } from '../common/companion.ts';
import { CRASHED, fallbackSentence, MODEL_FAILURES } from '../common/models/fallback.ts';
import { CompanionClient, CompanionError, type Endpoints } from './companionClient.ts';
import { findCompanion, isAlive } from './companionLock.ts';
import { CompanionStartError, startCompanion } from './companionProcess.ts';
import type { Paths } from './paths.ts';
import type { Tokens } from './tokens.ts';

const STARTING_POLL_MS = 200;
const FIRST_RETRY_MS = 100;
/** The window that started a companion learns first of its end; the others give it this time to begin another. */
const OTHERS_WAIT_MS = 800;
const LAST_RETRY_MS = 30_000;
/** A companion that ran at least this long was not broken from the start. */
const HEALTHY_AFTER_MS = 20_000;
/** Missed answers of a living process after which it hangs. Loading a large model and a busy processor take time. */
const MISSES_UNTIL_HUNG = 30;
/** Looks at a companion that has the folder but doesn't answer, before another one is tried. */
const LOOKS_MAX = 50;
const END_POLL_MS = 100;
const END_TIMEOUT_MS = 10_000;

type CompanionState =
  | { kind: 'starting' }
  | { kind: 'ready'; pid: number; client: CompanionClient }
  | { kind: 'error'; message: string }
  | { kind: 'stopped' };

interface Reached {
  pid: number;
  client: CompanionClient;
  /** This window started it. */
  own: boolean;
}

interface SupervisorOptions {
  paths: Paths;
  tokens: Tokens;
  /** Read anew at every start. */
  companion: () => CompanionOptions;
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/**
 * Keeps one companion per data folder reachable: attaches to the one that runs, else starts one, and does so again
 * when it is gone. Several windows do this side by side; the companion's own lock decides who wins. Nothing is
 * stopped when the window closes: the companion ends by itself when no window asks for its health any more.
 */
export class CompanionSupervisor {
  readonly #options: SupervisorOptions;
  readonly #listeners = new Set<(state: CompanionState) => void>();
  #state: CompanionState = { kind: 'stopped' };
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Process id of the companion because of which ours ended last. */
  #turnedAwayBy: number | undefined;
  /** A restart was asked for since the last start began. */
  #restartWanted = false;
  #wake: () => void = () => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): CompanionState {
    return this.#state;
  }

  /** Null while none is ready. */
  get client(): CompanionClient | null {
    return this.#state.kind === 'ready' ? this.#state.client : null;
  }

  onState(listener: (state: CompanionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Ends the companion, for every window, and gets one with the options of now. Every window sees a changed setting;
   * a companion that another one has started since is left alone. One that is just starting is ended when it is there.
   */
  async restart(): Promise<void> {
    this.#restartWanted = true;
    const askedAt = Date.now();
    const found = await findCompanion(this.#options.paths.companionDir, this.#options.tokens);
    const stale = found.state !== 'running' || found.startedAt < askedAt;
    // Only one that answered is ended: the process id in a file may have been given to another program since.
    if (this.#state.kind === 'ready' && stale) {
      this.#options.log('info', `Ending companion ${this.#state.pid}.`);
      await end(this.#state.pid);
    }
    this.#wake();
  }

  /** Leaves the companion to the other windows. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
    this.#set({ kind: 'stopped' });
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      if (this.#state.kind !== 'error') this.#set({ kind: 'starting' });
      try {
        const { pid, client, own } = await this.#attachOrStart();
        this.#turnedAwayBy = undefined;
        const since = Date.now();
        this.#set({ kind: 'ready', pid, client });
        await this.#watch(pid, client);
        await client.close();
        if (this.#stopped) return;
        if (Date.now() - since >= HEALTHY_AFTER_MS) failures = 0;
        this.#options.log('warn', `Companion ${pid} is gone; getting another one.`);
        this.#set({ kind: 'starting' });
        if (!own) await this.#sleep(OTHERS_WAIT_MS);
      } catch (error) {
        if (this.#stopped) return;
        const message = error instanceof Error ? error.message : String(error);
        this.#options.log('error', message);
        this.#set({ kind: 'error', message });
      }
      await this.#sleep(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++));
    }
  }

  async #attachOrStart(): Promise<Reached> {
    const { paths, tokens, companion, log } = this.#options;
    for (let looks = 0; ; looks++) {
      if (this.#stopped) throw new Error('The window closes.');
      const found = await findCompanion(paths.companionDir, tokens);
      if (found.state === 'none') break;
      if (found.state === 'foreign') {
        throw new Error(
          `The companion ${found.pid} that owns ${paths.companionDir} has other tokens than this installation. End it.`,
        );
      }
      if (found.state === 'running') {
        const client = new CompanionClient(found.endpoints, tokens);
        const health = await healthOf(client);
        if (health === 'answers') {
          log('info', `Attached to companion ${found.pid} at ${found.endpoints.inference}.`);
          return { pid: found.pid, client, own: false };
        }
        await client.close();
        // Nobody listens there: the file is an old one. If not, the companion's own lock turns ours away.
        if (health === 'refused' || looks >= LOOKS_MAX) break;
      }
      await this.#sleep(STARTING_POLL_MS);
    }
    return this.#startOne(companion());
  }

  async #startOne(options: CompanionOptions): Promise<Reached> {
    const { paths, tokens, log } = this.#options;
    const args = serveArguments(options);
    const began = Date.now();
    this.#restartWanted = false;
    const command = {
      runtime: paths.runtime,
      script: paths.companionScript,
      args,
      tokens,
      logPath: paths.companionLog,
    };
    try {
      const { process: child, ready } = await startCompanion(command);
      if (this.#restartWanted) {
        log('info', `Ending companion ${ready.pid}: the settings have changed while it started.`);
        await end(ready.pid);
        return await this.#startOne(this.#options.companion());
      }
      child.once('exit', () => this.#wake());
      const endpoints: Endpoints = { inference: ready.inference, feedback: ready.feedback };
      log(
        'info',
        `Started companion ${ready.pid} in ${Date.now() - began} ms at ${ready.inference}: ${ready.model}.`,
      );
      return { pid: ready.pid, client: new CompanionClient(endpoints, tokens), own: true };
    } catch (error) {
      // Another window was faster: its companion has the folder, and ours has ended because of that.
      const found = await findCompanion(paths.companionDir, tokens);
      if (found.state !== 'starting' && found.state !== 'running')
        return this.#startWithoutModel(options, error);
      if (found.state === 'running' && found.pid === this.#turnedAwayBy) throw error;
      this.#turnedAwayBy = found.pid;
      return this.#attachOrStart();
    }
  }

  /** With the embedded model, when it was the chosen one that could not be loaded; what else failed is thrown. */
  #startWithoutModel(options: CompanionOptions, error: unknown): Promise<Reached> {
    const why = options.modelPath === '' ? null : modelFailureOf(error);
    if (why === null) throw error;
    this.#options.log('error', (error as Error).message);
    this.#options.log('warn', fallbackSentence(options.modelPath, why));
    return this.#startOne({ ...options, modelPath: '', fellBack: why });
  }

  /** Resolves when the companion is gone, hangs, or the window closes. */
  async #watch(pid: number, client: CompanionClient): Promise<void> {
    let misses = 0;
    while (!this.#stopped) {
      await this.#sleep(HEALTH_INTERVAL_MS);
      if (!isAlive(pid)) return;
      const health = await healthOf(client);
      // A process that ended but was never waited for still has its id; its port is closed.
      if (health === 'refused') return;
      misses = health === 'answers' ? 0 : misses + 1;
      if (misses < MISSES_UNTIL_HUNG) continue;
      this.#options.log('error', `Companion ${pid} does not answer any more; ending it.`);
      process.kill(pid, 'SIGKILL');
      return;
    }
  }

  #set(state: CompanionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Code of a failure that is the model's, not the port's or the folder's; null: it is not. */
function modelFailureOf(error: unknown): string | null {
  if (!(error instanceof CompanionStartError)) return null;
  if (error.crashed) return CRASHED;
  return error.code !== null && error.code in MODEL_FAILURES ? error.code : null;
}

/** `refused`: nobody listens at its ports. `silent`: no answer in time, or an error. */
async function healthOf(client: CompanionClient): Promise<'answers' | 'refused' | 'silent'> {
  try {
    await Promise.all([client.inferenceHealth(), client.feedbackHealth()]);
    return 'answers';
  } catch (error) {
    const cause =
      error instanceof CompanionError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
    return cause?.code === 'ECONNREFUSED' ? 'refused' : 'silent';
  }
}

/** Asks a companion to end, and makes it when it doesn't. */
async function end(pid: number): Promise<void> {
  signal(pid, 'SIGTERM');
  for (let waited = 0; waited < END_TIMEOUT_MS && isAlive(pid); waited += END_POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, END_POLL_MS));
  }
  if (isAlive(pid)) signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

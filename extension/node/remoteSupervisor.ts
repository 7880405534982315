import { readFile } from 'node:fs/promises';
import { explainFailure, type RemoteCompanion } from '../common/remote.ts';
import { trustedCertificates } from './certificates.ts';
import { CompanionClient, CompanionError } from './companionClient.ts';
import type { ConnectionState } from './connection.ts';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/** Windows that lost the same machine do not all come back in the same moment. */
const JITTER = 0.25;
const CHECK_INTERVAL_MS = 10_000;
/** Checks one after the other that may fail before it counts as gone: a network drops an answer now and then. */
const MISSES_MAX = 2;
/** Between two checks that failing requests ask for. */
const SOONEST_CHECK_MS = 500;

interface RemoteSupervisorOptions {
  remote: RemoteCompanion;
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
  onState: (state: ConnectionState) => void;
}

/** Keeps a companion on another machine reachable: asks, says what is wrong, and asks again, later and later. */
export class RemoteSupervisor {
  readonly #options: RemoteSupervisorOptions;
  #state: ConnectionState = { kind: 'stopped' };
  #running: Promise<void> | undefined;
  #stopped = false;
  #failures = 0;
  #wake: () => void = () => undefined;

  constructor(options: RemoteSupervisorOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Asks now, whatever the waiting time. Nothing is ended: the companion is not this window's. */
  async restart(): Promise<void> {
    this.#failures = 0;
    this.#wake();
    await Promise.resolve();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
    this.#set({ kind: 'stopped' });
  }

  async #run(): Promise<void> {
    const { remote, log } = this.#options;
    if (remote.warning !== null) log('warn', remote.warning);
    while (!this.#stopped) {
      if (this.#state.kind !== 'error') this.#set({ kind: 'starting' });
      let client: CompanionClient | undefined;
      try {
        client = await this.#connect();
        await client.checkAccess();
        if (this.#stopped) return;
        this.#failures = 0;
        log('info', `Connected to ${remote.inference} and ${remote.feedback}.`);
        this.#set({ kind: 'ready', client });
        await this.#watch(client);
      } catch (error) {
        if (this.#stopped) return;
        const message = this.#explain(error);
        if (this.#state.kind !== 'error' || this.#state.message !== message) log('error', message);
        this.#set({ kind: 'error', message });
      } finally {
        await client?.close();
      }
      await this.#sleep(retryDelay(this.#failures++));
    }
  }

  async #connect(): Promise<CompanionClient> {
    const { inference, feedback, headers, certificateFile } = this.#options.remote;
    // Read at each attempt: a renewed one is taken without anybody's doing.
    const own = certificateFile === '' ? [] : [await readFile(certificateFile, 'utf8')];
    return new CompanionClient(
      { inference, feedback },
      {
        headers,
        certificates: [...trustedCertificates(), ...own],
        onFailure: () => {
          if (this.#state.kind === 'ready') this.#wake();
        },
      },
    );
  }

  /** Throws when it is gone; resolves when the window closes. */
  async #watch(client: CompanionClient): Promise<void> {
    let misses = 0;
    while (!this.#stopped) {
      await this.#sleep(misses === 0 ? CHECK_INTERVAL_MS : SOONEST_CHECK_MS);
      if (this.#stopped) return;
      try {
        await client.checkAccess();
        misses = 0;
      } catch (error) {
        const silent = error instanceof CompanionError && error.status === 0;
        if (!silent || ++misses > MISSES_MAX) throw error;
      }
    }
  }

  #explain(error: unknown): string {
    const { remote } = this.#options;
    if (!(error instanceof CompanionError)) {
      const why = error instanceof Error ? error.message : String(error);
      return `${remote.certificateFile} can't be read: ${why}. Check hone.companion.certificateFile.`;
    }
    const { status, code, message } = error;
    const causeCode = (error.cause as NodeJS.ErrnoException | undefined)?.code;
    return explainFailure({ status, code, message, causeCode }, remote);
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.#options.onState(state);
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

function retryDelay(failures: number): number {
  const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
  return delayMs * (1 + JITTER * (2 * Math.random() - 1));
}

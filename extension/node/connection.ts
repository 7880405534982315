import type { CompanionOptions } from '../common/companion.ts';
import { remoteCompanionOf, type RemoteCompanion } from '../common/remote.ts';
import type { CompanionClient } from './companionClient.ts';
import type { Paths } from './paths.ts';
import { RemoteSupervisor } from './remoteSupervisor.ts';
import { CompanionSupervisor } from './supervisor.ts';
import type { Tokens } from './tokens.ts';

export type ConnectionState =
  | { kind: 'starting' }
  /** `pid`: of a companion on this machine. */
  | { kind: 'ready'; client: CompanionClient; pid?: number }
  | { kind: 'error'; message: string }
  | { kind: 'stopped' };

interface ConnectionOptions {
  paths: Paths;
  tokens: Tokens;
  /** Read anew at every start. */
  companion: () => CompanionOptions;
  /** Settings that name a companion on another machine, read anew at every restart. */
  remote: () => Parameters<typeof remoteCompanionOf>[0];
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** What keeps a companion reachable, on this machine or on another. */
interface Supervisor {
  readonly state: ConnectionState;
  start(): void;
  restart(): Promise<void>;
  stop(): void;
}

/** The companion that the settings want: one on this machine, or, where an address is set, that one alone. */
export class CompanionConnection {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<(state: ConnectionState) => void>();
  #supervisor: Supervisor;
  /** What it was made for: the remote one's settings, or this machine's. */
  #wanted = '';
  #remote: RemoteCompanion | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#supervisor = this.#choose();
  }

  get state(): ConnectionState {
    return this.#supervisor.state;
  }

  /** Null while none is ready. */
  get client(): CompanionClient | null {
    const { state } = this.#supervisor;
    return state.kind === 'ready' ? state.client : null;
  }

  /** Null: the companion is on this machine. */
  get remote(): RemoteCompanion | null {
    return this.#remote;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#supervisor.start();
  }

  /** Takes up the settings of now: another companion where they name another one, else the same one anew. */
  async restart(): Promise<void> {
    const wanted = wantedOf(this.#options.remote());
    if (wanted === this.#wanted) return this.#supervisor.restart();
    const old = this.#supervisor;
    this.#supervisor = this.#choose();
    old.stop();
    this.#supervisor.start();
  }

  /** Leaves the companion to the other windows. */
  stop(): void {
    this.#supervisor.stop();
  }

  #choose(): Supervisor {
    const { paths, tokens, companion, log } = this.#options;
    const settings = this.#options.remote();
    this.#wanted = wantedOf(settings);
    this.#remote = null;
    const onState = (state: ConnectionState): void => {
      if (chosen === this.#supervisor) for (const listener of this.#listeners) listener(state);
    };
    let chosen: Supervisor;
    try {
      this.#remote = remoteCompanionOf(settings);
      if (this.#remote !== null) {
        chosen = new RemoteSupervisor({ remote: this.#remote, log, onState });
        return chosen;
      }
    } catch (error) {
      // Code that is meant for another machine is not given to this one instead, nor the other way round.
      chosen = wrongSettings((error as Error).message, log, onState);
      return chosen;
    }
    const local = new CompanionSupervisor({ paths, tokens, companion, log });
    local.onState(onState);
    chosen = local;
    return chosen;
  }
}

function wantedOf(settings: Parameters<typeof remoteCompanionOf>[0]): string {
  const { companionUrl, companionFeedbackUrl, companionHeaders, companionCertificateFile } = settings;
  if (companionUrl === '') return '';
  return JSON.stringify([companionUrl, companionFeedbackUrl, companionHeaders, companionCertificateFile]);
}

/** Says what is wrong until the settings change. */
function wrongSettings(
  message: string,
  log: ConnectionOptions['log'],
  onState: (state: ConnectionState) => void,
): Supervisor {
  let state: ConnectionState = { kind: 'stopped' };
  const tell = (): void => {
    state = { kind: 'error', message };
    log('error', message);
    onState(state);
  };
  return {
    get state() {
      return state;
    },
    start: tell,
    restart: () => Promise.resolve(tell()),
    stop: () => void (state = { kind: 'stopped' }),
  };
}

import { servedAt, type ServedBy } from '../common/cache/servedBy.ts';
import type { DashboardUnit, StoreFigures } from '../common/contracts/dashboard.ts';
import type { DataScope, Deletion } from '../common/contracts/data.ts';
import type { Health } from '../common/contracts/completion.ts';
import { DEFAULT_WORKSPACE, type FeedbackEvent, type TrainingStatus } from '../common/contracts/feedback.ts';
import type { Settings } from '../common/contributions.ts';
import { prefixOnlyReason } from '../common/status/statusView.ts';
import type { DayTally } from '../common/status/today.ts';
import { CompanionError, type CompanionClient } from './companionClient.ts';
import { CompanionConnection } from './connection.ts';
import { companionOptions, writeCompanionConfig } from './companionOptions.ts';
import { DataEraser } from './dataEraser.ts';
import { Outbox } from './outbox.ts';
import type { Paths } from './paths.ts';
import { Store, type StoreState } from './store.ts';
import type { ShownCompletion } from './storeDatabase.ts';
import { companionLine, LogTail } from './logTail.ts';
import { Today } from './today.ts';
import { installationTokens } from './tokens.ts';
import { TrainingMonitor } from './trainingMonitor.ts';
import { WrittenCounter } from './writtenCounter.ts';

const LOG_INTERVAL_MS = 2000;
/** A window may stay open for weeks. */
const PRUNE_INTERVAL_MS = 24 * 60 * 60 * 1000;

interface BackendOptions {
  paths: Paths;
  /** Id of this window. */
  window: string;
  /** Workspace whose adapter version is told; absent: that of no workspace. */
  workspaceKey?: () => string;
  settings: () => Settings;
  log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void;
  /** Something that the status shows has changed. */
  onChange: () => void;
}

/** Everything of one window that doesn't know the editor: store, outbox, companion, its figures. */
export class Backend {
  readonly connection: CompanionConnection;
  readonly #options: BackendOptions;
  readonly #store: Store;
  readonly #outbox: Outbox;
  readonly #eraser: DataEraser;
  readonly #written: WrittenCounter;
  readonly #monitor: TrainingMonitor;
  readonly #today: Today;
  readonly #logTimer: NodeJS.Timeout;
  readonly #pruneTimer: NodeJS.Timeout;
  #training: TrainingStatus | null = null;
  #model: string | null = null;
  #served: Pick<ServedBy, 'model' | 'template'> | null = null;
  #health: Health | null = null;
  #storeError: string | null = null;
  #closing: Promise<void> | undefined;

  /** Opens the store. */
  static async open(options: BackendOptions): Promise<Backend> {
    const tokens = await installationTokens(options.paths.tokens);
    await writeCompanionConfig(options.settings(), options.paths);
    const connection = new CompanionConnection({
      paths: options.paths,
      tokens,
      companion: () => companionOptions(options.settings(), options.paths),
      remote: options.settings,
      log: options.log,
    });
    const tail = new LogTail(options.paths.companionLog);
    // What is there is of an earlier session; everything that this session's companion says is shown.
    await tail.read();
    return new Backend(options, connection, tail);
  }

  private constructor(options: BackendOptions, connection: CompanionConnection, tail: LogTail) {
    this.#options = options;
    this.connection = connection;
    this.#store = new Store(options.paths.storeWorker, options.paths.database, (state) =>
      this.#storeState(state),
    );
    this.#prune();
    this.#pruneTimer = setInterval(() => this.#prune(), PRUNE_INTERVAL_MS);
    this.#outbox = new Outbox({
      store: this.#store,
      window: options.window,
      log: options.log,
      submit: (event) => this.#submit(event),
      onStored: () => {
        this.#storeWorks();
        this.#today.refresh();
      },
    });
    this.#eraser = new DataEraser({
      store: this.#store,
      outbox: this.#outbox,
      client: () => this.client,
      companion: () => connection.remote?.feedback ?? '',
      companionLog: options.paths.companionLog,
      log: options.log,
    });
    this.#today = new Today((since) => this.#store.call('judgedSince', since), options.onChange);
    this.#today.refresh();
    this.#written = new WrittenCounter((minute, chars) => {
      this.#store.call('addWritten', minute, chars).catch((error: Error) => this.#storeFailed(error));
    });
    this.#monitor = new TrainingMonitor(
      () => this.client,
      () => this.workspaceKey,
      (status) => this.#learned(status),
    );
    this.#logTimer = setInterval(() => void this.#copyLog(tail), LOG_INTERVAL_MS);
    connection.onState((state) => {
      if (state.kind !== 'ready') this.#health = null;
      if (state.kind === 'ready') {
        this.#outbox.wake();
        this.#monitor.start();
        this.#finishDeletions();
        void this.#askModel(state.client);
      }
      options.onChange();
    });
  }

  /** Begins to look for a companion; `onChange` may be called from now on. */
  start(): void {
    this.#finishDeletions();
    this.connection.start();
  }

  /** Null while no companion is ready. */
  get client(): CompanionClient | null {
    return this.connection.client;
  }

  /** Workspace of this window, whose adapter is told and chosen. */
  get workspaceKey(): string {
    return this.#options.workspaceKey?.() ?? DEFAULT_WORKSPACE;
  }

  /** Last known figures of the companion. */
  get training(): TrainingStatus | null {
    return this.#training;
  }

  /** What became of today's suggestions; null: not read yet. */
  get today(): DayTally | null {
    return this.#today.tally;
  }

  get model(): string | null {
    return this.#model;
  }

  /** What the companion last said about its model; null before its first answer. */
  get health(): Health | null {
    return this.#health;
  }

  /** Model and template of the companion as far as it has told them. */
  get served(): Pick<ServedBy, 'model' | 'template'> | null {
    return this.#served;
  }

  get storeError(): string | null {
    return this.#storeError;
  }

  record(completion: ShownCompletion): void {
    this.#store.call('recordCompletion', completion).catch((error: Error) => this.#storeFailed(error));
  }

  /** Counts characters that were written where something may be recorded. */
  wrote(chars: number): void {
    this.#written.add(chars);
  }

  /** Stores feedback, then sends it. */
  add(events: FeedbackEvent[]): Promise<void> {
    return this.#outbox.add(events).catch((error: Error) => this.#storeFailed(error));
  }

  /**
   * Recording was switched on or off. Feedback that is not stored yet is not stored any more; what is stored goes to
   * the companion only while recording is on.
   */
  changeTracking(on: boolean): void {
    this.#outbox.forget();
    this.#written.forget();
    this.#outbox.hold(!on);
  }

  /**
   * Deletes what is recorded in a scope, here and at the companion, with what was learned from it. What this window
   * keeps in memory is the caller's to forget. Returns what the companion deleted; null: it does as soon as it runs.
   */
  async deleteData(scope: DataScope): Promise<Deletion | null> {
    if (scope.kind === 'all') this.#written.forget();
    try {
      return await this.#eraser.erase(scope);
    } finally {
      this.#today.refresh();
      this.refresh();
    }
  }

  /** Asks the companion for its figures now. */
  refresh(): void {
    this.#monitor.start();
  }

  /** Figures of the dashboard; null when nothing has changed since `revision`. */
  dashboard(
    unit: DashboardUnit,
    revision: string | null,
  ): Promise<{ figures: StoreFigures; revision: string } | null> {
    return this.#store.call('dashboard', unit, Date.now(), revision);
  }

  /** For settings that only a new companion takes up, and for the user's command. */
  async restartCompanion(): Promise<void> {
    await writeCompanionConfig(this.#options.settings(), this.#options.paths);
    await this.connection.restart();
  }

  /** Leaves the companion to the other windows; what wasn't delivered waits in the store. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What a window that was killed has begun, or the companion wasn't there for. */
  #finishDeletions(): void {
    this.#eraser.finish().catch((error: Error) => this.#options.log('warn', `Deletion: ${error.message}`));
  }

  async #close(): Promise<void> {
    clearInterval(this.#logTimer);
    clearInterval(this.#pruneTimer);
    this.#monitor.stop();
    this.#today.stop();
    this.#written.flush();
    await this.#outbox.stop();
    this.connection.stop();
    try {
      await this.#store.call('closeWindow', this.#options.window);
    } catch (error) {
      this.#options.log('warn', `Store: ${(error as Error).message}`);
    }
    await this.#store.close().catch((error: Error) => this.#options.log('warn', `Store: ${error.message}`));
  }

  #prune(): void {
    this.#store
      .call('prune', Date.now(), { days: this.#options.settings().keepDays })
      .catch((error: Error) => this.#storeFailed(error));
  }

  async #submit(event: FeedbackEvent): Promise<void> {
    if (!this.client) throw new CompanionError(0, 'unreachable', 'The companion is not running.');
    await this.client.submit(event);
  }

  #learned(status: TrainingStatus): void {
    const before = this.#training;
    this.#training = status;
    this.#today.refresh({ ifNewDay: true });
    if (before && before.adapterVersion !== status.adapterVersion) {
      this.#options.log('info', `Adapter version ${status.adapterVersion} is served now.`);
    }
    if (JSON.stringify(before) !== JSON.stringify(status)) this.#options.onChange();
  }

  async #askModel(client: CompanionClient): Promise<void> {
    try {
      const health = await client.inferenceHealth();
      this.#served = servedAt(health);
      this.#health = health;
      const limit = prefixOnlyReason(health);
      this.#model = limit === null ? health.model : `${health.model} (${limit})`;
      if (limit !== null) this.#options.log('warn', `${health.model}: ${limit}.`);
      this.#options.onChange();
    } catch (error) {
      this.#options.log('debug', (error as Error).message);
    }
  }

  async #copyLog(tail: LogTail): Promise<void> {
    for (const line of await tail.read()) this.#options.log(line.level, companionLine(line));
  }

  #storeState(state: StoreState): void {
    if (state.kind === 'restarting') {
      this.#options.log('warn', `Store: ${state.error.message}. Starting it again.`);
    } else if (state.kind === 'down') {
      this.#storeFailed(state.error);
    } else {
      this.#options.log('info', 'The store works again.');
      this.#storeWorks();
    }
  }

  #storeWorks(): void {
    if (this.#storeError === null) return;
    this.#options.log('info', 'Feedback is stored again.');
    this.#storeError = null;
    this.#options.onChange();
  }

  #storeFailed(error: Error): void {
    this.#options.log('error', `Store: ${error.message}`);
    const why = error.message.replace(/\.$/, '');
    this.#storeError = `Feedback can't be stored: ${why}. It is tried again; if it stays, free the disk or reload the window.`;
    this.#options.onChange();
  }
}

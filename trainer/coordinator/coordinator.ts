import {
  type AdapterList,
  type AdapterRef,
  type DataScope,
  type Deletion,
  type RunSummary,
  type StepResponse,
  type TrainingRuns,
  type TrainingStatus,
} from '../../extension/common/contracts/index.ts';
import { Board } from '../board/board.ts';
import { isStorageFull } from '../store/database.ts';
import type { OutcomeFacts } from '../store/types.ts';
import { LearningBudget, NO_LIMITS } from './budget.ts';
import { eventsOf, removeOrphans } from './checkpoint.ts';
import { erase, finishErasure, finishInterruptedErasure } from './erasure.ts';
import { engineText } from './engineText.ts';
import { generalItems } from './general.ts';
import type { LearnerProgress } from './learnerProcess.ts';
import { LiveFuse } from './liveFuse.ts';
import type { CoordinatorOptions } from './options.ts';
import { LearningPause } from './pause.ts';
import { EventQueue } from './queue.ts';
import {
  activateAdapter,
  collectAdapters,
  listAdapters,
  loadableAdapters,
  loadActive,
  openFor,
  rollBackAdapter,
} from './registry.ts';
import { keepToRetention } from './retention.ts';
import { statusOf } from './status.ts';
import { Suspects } from './suspects.ts';
import { LearnerSupervisor } from './supervisor.ts';
import { keptScoresPath, tidyKeptScores } from './tidy.ts';
import { performUpdate, planOf, updateConfigOf, type UpdateParts } from './update.ts';
import { adapterKey, completeBatch, inService, keyOfEvent, newestGroup, type Service } from './workspaces.ts';

const ARRIVAL_DEBOUNCE_MS = 20;
/** Until an update is tried again that there was no room to write down. */
const NO_ROOM_RETRY_MS = 60_000;
/** Longest delay that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Closes the loop: watches the queue of events, runs an update when a batch is complete, and brings what the gate
 * lets through into service. One at a time, whoever asks.
 */
export class Coordinator {
  private readonly options: CoordinatorOptions;
  private readonly parts: UpdateParts;
  private readonly queue: EventQueue;
  private readonly learner: LearnerSupervisor;
  private readonly fuse: LiveFuse;
  private readonly suspects = new Suspects();
  private readonly pause: LearningPause;
  private readonly budget: LearningBudget;
  private readonly stopListening: () => void;
  private readonly retention: ReturnType<typeof keepToRetention>;
  private timer: NodeJS.Timeout | null = null;
  /** The last piece of work that was lined up; it never rejects. */
  private work: Promise<unknown> = Promise.resolve();
  private progress: LearnerProgress | 'preparing' | null = null;
  private busy = false;
  /** An update under way has to wait for mains power. */
  private resting = false;
  private trouble: string | null = null;
  /** The trouble is that nothing can be stored, most often a full disk: an event that could be stored ends it. */
  private unstorable = false;
  private readonly ending = new AbortController();
  /** Called when data is being deleted: what others keep of it in memory must go. */
  onErase: () => void = () => {};

  /** Takes over the store and the engine as they are; `start` brings the active adapter into service. */
  constructor(options: CoordinatorOptions) {
    const { store, engine, settings, logger } = options;
    this.options = options;
    const config = updateConfigOf(options);
    this.learner = new LearnerSupervisor({
      entry: options.learner.entry,
      init: {
        type: 'init',
        modelPath: engine.model.path,
        gpu: options.learner.gpu,
        threads: options.learner.threads,
        firstLayer: config.firstLayer,
        weightType: config.weightType,
        endTokens: engine.model.endTokens,
        cacheBytes: settings.learnerCacheBytes,
        keptPath: keptScoresPath(store.dataDir, engine.model.hash),
      },
      silenceMs: settings.learnerSilenceMs,
      logger,
    });
    const board = new Board(store.dataDir, logger);
    this.pause = new LearningPause(store.dataDir);
    this.budget = new LearningBudget({ ...(options.budget ?? NO_LIMITS), logger });
    this.fuse = new LiveFuse({ store, engine, settings, board, logger });
    const text = engineText(engine, settings.maxTargetTokens);
    this.parts = {
      store,
      engine,
      learner: this.learner,
      text,
      general: generalItems(text),
      settings,
      config,
      board,
      fuse: this.fuse,
      logger,
      ending: this.ending.signal,
    };
    this.queue = new EventQueue(store, engine.model.hash, settings);
    this.stopListening = engine.onBusy((busy) => {
      this.busy = busy;
      this.letLearnerRun();
    });
    this.retention = keepToRetention({ store, board, limits: options.retention, logger });
  }

  /** Process id of the learner, or null while none runs. */
  get learnerPid(): number | null {
    return this.learner.pid;
  }

  /** Loads the adapter in service, clears away what a crash left, and begins to watch the queue. */
  async start(): Promise<void> {
    const { store, engine, logger } = this.options;
    const { hash, name, path } = engine.model;
    store.adapters.registerModel({ hash, name, path });
    const unfinished = finishInterruptedErasure(store, logger);
    if (unfinished !== null) this.tell(unfinished);
    removeOrphans(store, logger);
    tidyKeptScores(store.dataDir, hash);
    this.trouble = (await loadActive(store, engine, logger)) ?? this.trouble;
    this.retention.now();
    this.wake(0);
  }

  /** To be called after events were stored. */
  eventsArrived(): void {
    if (this.unstorable) this.tell(null);
    this.queue.changed();
    this.wake(ARRIVAL_DEBOUNCE_MS);
  }

  /** To be called when a completion could not be recorded: the status tells it until an event could be stored. */
  recordFailed(error: unknown): void {
    this.tell(error as Error);
    this.unstorable = true;
  }

  /** Settles what is open and trains now; an update under way is waited for first. */
  async step(): Promise<StepResponse> {
    const before = this.options.store.runs.last(this.options.engine.model.hash)?.id;
    return this.inTurn(async () => {
      if (this.ending.signal.aborted) return { status: 'busy', run: null };
      this.budget.requireMemory();
      await this.lookAtServed();
      const settled = newestGroup(this.parts.settings, this.suspects.without(this.queue.settled()));
      const events = this.cutShort() ?? this.suspects.choose(settled, this.parts.settings.maxStepEvents);
      const run = await this.update(events, null);
      if (run !== null) return { status: 'done', run };
      const last = this.status().lastRun;
      // The update that was waited for took everything.
      return last !== null && last.id !== before
        ? { status: 'done', run: last }
        : { status: 'nothing_to_train', run: null };
    });
  }

  /** Something is wrong that the status tells; asked for at every look at the health, so nothing is counted. */
  get inTrouble(): boolean {
    return this.trouble !== null;
  }

  /** `workspaceKey`: whose version is told; absent: the shared one. */
  status(workspaceKey?: string): TrainingStatus {
    return statusOf(this.options.store, this.options.engine.model, this.queue.current(), {
      progress: this.progress,
      paused: this.busy,
      automatic: this.options.automatic,
      pausedByUser: this.pause.on,
      pausedBecause: this.progress === null || this.resting ? this.budget.reason : null,
      trouble: this.trouble,
      learner: this.learner.ready,
      service: this.serviceIn(workspaceKey),
      live: this.fuse.status(),
    });
  }

  /**
   * From now on no update is made unless it is asked for, or they are made again; until the opposite is said, also by
   * the companions to come. An update under way comes to its end.
   */
  setPaused(paused: boolean): TrainingStatus {
    this.pause.set(paused);
    if (!paused) this.wake(0);
    return this.status();
  }

  /** Updates of the loaded model, newest first. */
  runs(limit: number): TrainingRuns {
    return { runs: this.options.store.runs.newest(this.options.engine.model.hash, limit) };
  }

  /** What a workspace's requests are answered with, as `openFor` tells. */
  async adapterFor(workspaceKey: string): Promise<AdapterRef | undefined> {
    const { store, engine, settings, logger } = this.options;
    const opened = await openFor(store, engine, logger, adapterKey(settings, workspaceKey));
    this.trouble = opened.trouble ?? this.trouble;
    return opened.adapter;
  }

  /** Versions of the loaded model whose files are there, the base first. */
  loadable(): AdapterRef[] {
    return loadableAdapters(this.options.store, this.options.engine.model.hash);
  }

  /** Those that may serve in a workspace; absent: all. */
  adapters(workspaceKey?: string): AdapterList {
    return listAdapters(this.options.store, this.options.engine.model, this.serviceIn(workspaceKey));
  }

  /**
   * Brings a version into service by hand, at another scale when one is given.
   *
   * @param workspaceKey absent: the workspace that it was learned in
   * @throws HoneError when it does not exist, belongs to another model or workspace or its file is gone.
   */
  async activate(version: number, scale?: number, workspaceKey?: string): Promise<AdapterList> {
    const { store, engine, settings } = this.options;
    const key = adapterKey(settings, workspaceKey ?? store.adapters.get(version)?.workspaceKey);
    await activateAdapter(store, engine, version, scale, key);
    this.parts.board.say(key, `Version ${version} was brought into service by hand.`);
    return this.adapters(workspaceKey);
  }

  /**
   * Takes the version in service of a workspace back and serves the one it was made from.
   *
   * @param workspaceKey absent: the shared one's
   * @throws HoneError when it has none to take back, or the other can't be loaded: then nothing is changed.
   */
  async rollBack(workspaceKey?: string): Promise<AdapterList> {
    const { store, engine, settings } = this.options;
    const key = adapterKey(settings, workspaceKey);
    const version = await rollBackAdapter(store, engine, key);
    this.parts.board.say(key, `Rolled back by hand; version ${version} is in service.`);
    return this.adapters(workspaceKey);
  }

  /** Deletes the files of rejected and rolled-back versions. */
  collect(): { versions: number[]; bytes: number } {
    return collectAdapters(this.options.store);
  }

  /**
   * Deletes what is recorded in a scope, everywhere, with what was learned from it. Resolves when its bytes are gone;
   * an update under way is waited for.
   *
   * @throws HoneError `data_busy`, `storage_full`: the rows are gone, and the next deletion or start does the rest.
   */
  async erase(scope: DataScope): Promise<Deletion> {
    return this.inTurn(async () => {
      const { store, engine } = this.options;
      this.onErase();
      const { erased, trouble } = await erase(this.parts, scope);
      this.trouble = trouble ?? this.trouble;
      this.queue.changed();
      this.wake(0);
      finishErasure(store);
      return { v: 1, status: 'deleted', ...erased, active: engine.adapter.version };
    });
  }

  /** Ends the learner; an update under way is given up and its events stay in the queue. */
  async dispose(): Promise<void> {
    this.ending.abort();
    this.stopListening();
    this.retention.stop();
    if (this.timer !== null) clearTimeout(this.timer);
    await this.learner.dispose();
    await this.work;
  }

  /** Looks at the queue after `delayMs`, instead of when that was agreed before. */
  private wake(delayMs: number): void {
    if (this.ending.signal.aborted) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), Math.min(MAX_TIMER_MS, delayMs));
    this.timer.unref();
  }

  private look(): void {
    this.timer = null;
    void this.inTurn(async () => {
      if (this.ending.signal.aborted || !this.options.automatic || this.pause.on) return;
      await this.lookAtServed();
      if (this.learner.waitMs > 0) return this.wake(this.learner.waitMs);
      const { ready, nextSettlement } = this.queue.current();
      const { settings } = this.options;
      const again = this.cutShort();
      const full = completeBatch(settings, this.suspects.without(ready));
      if (again === null && full.length === 0) {
        if (Number.isFinite(nextSettlement)) this.wake(Math.max(0, nextSettlement - Date.now()));
        return;
      }
      if (await this.budget.mustWait()) return this.wake(this.budget.intervalMs);
      const now = again === null ? Date.now() : null;
      const events = again ?? this.suspects.choose(full, settings.batchEvents);
      await this.budget.restDuring(
        () => this.update(events, now),
        (rests) => {
          this.resting = rests;
          this.letLearnerRun();
        },
      );
      this.wake(this.learner.waitMs);
    }).catch((error: Error) => {
      if (this.ending.signal.aborted) return;
      this.tell(error);
      this.options.logger.error({ err: error }, 'An update could not be made; the next event tries again.');
      if (this.unstorable) this.wake(this.learner.waitMs > 0 ? this.learner.waitMs : NO_ROOM_RETRY_MS);
    });
  }

  /** The events of an update that was cut short, to make it again as it was; null: there is none. */
  private cutShort(): OutcomeFacts[] | null {
    const plan = this.suspects.calm ? planOf(this.parts) : null;
    return plan && eventsOf(this.parts.store, plan, (facts) => keyOfEvent(this.parts.settings, facts));
  }

  private serviceIn(workspaceKey?: string): Service {
    const { store, engine, settings } = this.parts;
    return inService(store, engine.model.hash, settings, workspaceKey);
  }

  private async lookAtServed(): Promise<void> {
    this.trouble = (await this.fuse.look()) ?? this.trouble;
  }

  private letLearnerRun(): void {
    this.learner.setPaused(this.busy || this.resting);
  }

  private async update(events: OutcomeFacts[], now: number | null): Promise<RunSummary | null> {
    if (events.length === 0) return null;
    this.progress = 'preparing';
    this.unstorable = false;
    this.letLearnerRun();
    try {
      const decided = await performUpdate(this.parts, events, now, (progress) => {
        this.progress = progress;
      });
      if (decided?.learnerFailed) {
        this.suspects.failed(events);
        this.trouble = decided.run.reason;
      } else {
        this.suspects.succeeded();
        this.trouble = this.suspects.note;
      }
      return decided?.run ?? null;
    } catch (error) {
      this.tell(error as Error);
      throw error;
    } finally {
      this.progress = null;
      this.queue.changed();
    }
  }

  /** What is wrong, for the status; null: nothing any more. */
  private tell(error: Error | null): void {
    this.unstorable = isStorageFull(error);
    this.trouble = error?.message ?? null;
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.work.then(task);
    this.work = turn.catch(() => {});
    return turn;
  }
}

import { DEFAULT_WORKSPACE, type TrainingStatus } from '../../extension/common/contracts/index.ts';
import type { Board } from '../board/board.ts';
import type { Engine } from '../inference/types.ts';
import { fuseVerdict, type ChainLink, type FuseVerdict } from '../monitor/fuse.ts';
import { figuresOfVersion, watchServed, type Watched } from '../monitor/watch.ts';
import type { Logger } from '../server/shared/logging.ts';
import { BASE_VERSION } from '../store/adapters.ts';
import type { Store } from '../store/store.ts';
import { loadActive } from './registry.ts';
import type { TrainingSettings } from './settings.ts';
import { adapterKey, inService, workspaceOf } from './workspaces.ts';

interface FuseParts {
  store: Store;
  engine: Engine;
  settings: Pick<TrainingSettings, 'adapters'>;
  board: Board;
  logger: Logger;
}

interface Look {
  event: number;
  version: number;
  watched: Watched;
}

const NEVER: Look = { event: -Infinity, version: -1, watched: { figures: {}, alarms: [] } };

/** Newest outcomes that are read: those of the versions in doubt, of the ones before, and ignored ones between. */
const READ_OUTCOMES = 600;
/** Events between two looks: each look is a chance to err. */
const EVENTS_A_LOOK = 10;

/**
 * Watches what is really served: raises alarms, keeps each version's figures with it, and takes a version back that
 * does worse than what was served before it.
 */
export class LiveFuse {
  private readonly parts: FuseParts;
  /** By the adapter's key, the one looked at last last. */
  private readonly looks = new Map<string, Look>();
  private blown: TrainingStatus['rolledBack'];

  constructor(parts: FuseParts) {
    this.parts = parts;
  }

  /** Figures of the newest outcomes of an adapter, by tag, as of the last look. */
  figuresOf(key: string): Record<string, number> {
    return this.looks.get(key)?.watched.figures ?? {};
  }

  /** What was served was deleted: nothing is known of it any more. */
  forget(): void {
    this.looks.clear();
    this.blown = undefined;
  }

  /** For the status. */
  status(): Pick<TrainingStatus, 'served' | 'rolledBack'> {
    const [key = DEFAULT_WORKSPACE] = [...this.looks.keys()].slice(-1);
    const alarms = [...this.looks.values()].flatMap((look) => look.watched.alarms);
    return {
      served: {
        figures: this.figuresOf(key),
        alarms: [...new Set(alarms.map((alarm) => alarm.message))],
        workspaceKey: key,
      },
      ...(this.blown === undefined ? {} : { rolledBack: this.blown }),
    };
  }

  /**
   * Looks when enough has happened since the last time.
   *
   * @returns what could not be loaded after a version was taken back, or null.
   */
  async look(): Promise<string | null> {
    const { store, engine, settings } = this.parts;
    const event = store.served.lastEvent();
    let trouble: string | null = null;
    for (const [key, version] of inService(store, engine.model.hash, settings).versions) {
      const before = this.looks.get(key) ?? NEVER;
      const isNew = version !== before.version;
      if (!isNew && event - before.event < EVENTS_A_LOOK) continue;
      if (!isNew && !this.wasUsed(key, before.event)) this.looks.set(key, { ...before, event });
      else trouble = (await this.lookAt(key, version, event)) ?? trouble;
    }
    return trouble;
  }

  /** Whether an event since another one is about what an adapter may have served. */
  private wasUsed(key: string, event: number): boolean {
    if (key === DEFAULT_WORKSPACE) return true;
    const { store, settings } = this.parts;
    return store.served.workspacesSince(event).some((workspace) => adapterKey(settings, workspace) === key);
  }

  private async lookAt(key: string, version: number, event: number): Promise<string | null> {
    const { store, engine, settings } = this.parts;
    // Workspaces without a version of their own are served by the shared one.
    const workspace = key === DEFAULT_WORKSPACE ? undefined : workspaceOf(settings, key);
    const rows = store.served.newest(engine.model.hash, READ_OUTCOMES, workspace);
    const chain = chainOf(store, version);
    const watched = watchServed(rows, chain);
    this.tellAlarms(key, watched);
    this.looks.delete(key);
    this.looks.set(key, { event, version, watched });
    const row = store.adapters.get(version);
    const figures = figuresOfVersion(rows, version);
    if (row?.workspaceKey === key && Object.keys(figures).length > 0)
      store.adapters.addFigures(version, figures);
    const byHand = row?.status === 'rolledBack' || (row !== null && row.workspaceKey !== key);
    const verdict = byHand ? null : fuseVerdict(rows, chain);
    return verdict === null ? null : this.blow(key, version, verdict);
  }

  private async blow(
    key: string,
    version: number,
    { target: proven, reason, figures }: FuseVerdict,
  ): Promise<string | null> {
    const { store, engine, board, logger } = this.parts;
    store.adapters.addFigures(version, figures);
    store.adapters.rollBackTo(engine.model.hash, key, proven);
    const target = store.adapters.active(engine.model.hash, key);
    const text = `Version ${version} was taken out of service, version ${target} serves again. ${reason}`;
    logger.warn({ version, target, figures }, text);
    board.say(key, text);
    const trouble = await loadActive(store, engine, logger, key);
    this.blown = { version, target, reason, at: Date.now(), workspaceKey: key };
    return trouble;
  }

  private tellAlarms(key: string, watched: Watched): void {
    const known = new Set(this.looks.get(key)?.watched.alarms.map((alarm) => alarm.name));
    for (const { name, message } of watched.alarms) {
      if (known.has(name)) continue;
      this.parts.logger.warn({ alarm: name }, message);
      this.parts.board.say(key, `Alarm. ${message}`);
    }
  }
}

/** From the version in service to the base, by what each was made from. */
function chainOf(store: Store, version: number): ChainLink[] {
  const row = version === BASE_VERSION ? null : store.adapters.get(version);
  if (row === null) return [{ version: BASE_VERSION, proven: true }];
  const proven = row.status === 'promoted' && !row.collected;
  return [{ version, proven }, ...chainOf(store, row.parent)];
}

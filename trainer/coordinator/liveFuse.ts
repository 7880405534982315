import { DEFAULT_WORKSPACE, type TrainingStatus } from '../../extension/common/contracts/index.ts';
import type { Board } from '../board/board.ts';
import type { Engine } from '../inference/types.ts';
import { fuseVerdict, type ChainLink, type FuseVerdict } from '../monitor/fuse.ts';
import { figuresOfVersion, watchServed, type Watched } from '../monitor/watch.ts';
import type { Logger } from '../server/shared/logging.ts';
import { BASE_VERSION } from '../store/adapters.ts';
import type { Store } from '../store/store.ts';
import { loadActive } from './registry.ts';

interface FuseParts {
  store: Store;
  engine: Engine;
  board: Board;
  logger: Logger;
}

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
  private lookedAt = { event: -Infinity, version: -1 };
  private watched: Watched = { figures: {}, alarms: [] };
  private blown: TrainingStatus['rolledBack'];

  constructor(parts: FuseParts) {
    this.parts = parts;
  }

  /** Figures of the newest outcomes, by tag, as of the last look. */
  get figures(): Record<string, number> {
    return this.watched.figures;
  }

  /** What was served was deleted: nothing is known of it any more. */
  forget(): void {
    this.lookedAt = { event: -Infinity, version: -1 };
    this.watched = { figures: {}, alarms: [] };
    this.blown = undefined;
  }

  /** For the status. */
  status(): Pick<TrainingStatus, 'served' | 'rolledBack'> {
    const { figures, alarms } = this.watched;
    return {
      served: { figures, alarms: alarms.map((alarm) => alarm.message) },
      ...(this.blown === undefined ? {} : { rolledBack: this.blown }),
    };
  }

  /**
   * Looks when enough has happened since the last time.
   *
   * @returns what could not be loaded after a version was taken back, or null.
   */
  async look(): Promise<string | null> {
    const { store, engine } = this.parts;
    const event = store.served.lastEvent();
    const version = store.adapters.active(engine.model.hash, DEFAULT_WORKSPACE);
    const due = event - this.lookedAt.event >= EVENTS_A_LOOK || version !== this.lookedAt.version;
    if (!due) return null;
    this.lookedAt = { event, version };
    const rows = store.served.newest(engine.model.hash, READ_OUTCOMES);
    const chain = chainOf(store, version);
    this.tellAlarms(watchServed(rows, chain));
    const figures = figuresOfVersion(rows, version);
    if (version !== BASE_VERSION && Object.keys(figures).length > 0)
      store.adapters.addFigures(version, figures);
    const byHand = store.adapters.get(version)?.status === 'rolledBack';
    const verdict = byHand ? null : fuseVerdict(rows, chain);
    return verdict === null ? null : this.blow(version, verdict);
  }

  private async blow(version: number, { target, reason, figures }: FuseVerdict): Promise<string | null> {
    const { store, engine, board, logger } = this.parts;
    store.adapters.addFigures(version, figures);
    store.adapters.rollBackTo(engine.model.hash, DEFAULT_WORKSPACE, target);
    const text = `Version ${version} was taken out of service, version ${target} serves again. ${reason}`;
    logger.warn({ version, target, figures }, text);
    board.say(DEFAULT_WORKSPACE, text);
    const trouble = await loadActive(store, engine, logger);
    this.blown = { version, target, reason, at: Date.now() };
    return trouble;
  }

  private tellAlarms(watched: Watched): void {
    const known = new Set(this.watched.alarms.map((alarm) => alarm.name));
    this.watched = watched;
    for (const { name, message } of watched.alarms) {
      if (known.has(name)) continue;
      this.parts.logger.warn({ alarm: name }, message);
      this.parts.board.say(DEFAULT_WORKSPACE, `Alarm. ${message}`);
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

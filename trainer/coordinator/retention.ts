import type { Board } from '../board/board.ts';
import type { Logger } from '../server/shared/logging.ts';
import { DEFAULT_RETENTION, type RetentionLimits } from '../store/prune.ts';
import type { Store } from '../store/store.ts';

const INTERVAL_MS = 60 * 60 * 1000;

interface RetentionParts {
  store: Store;
  board: Board;
  /** Absent: the defaults. */
  limits: RetentionLimits | undefined;
  logger: Logger;
}

/** Deletes what is past its retention every hour; returns what does so now. */
export function keepToRetention(parts: RetentionParts): { now: () => void; stop: () => void } {
  const timer = setInterval(() => deleteOld(parts), INTERVAL_MS).unref();
  return { now: () => deleteOld(parts), stop: () => clearInterval(timer) };
}

function deleteOld({ store, board, limits = DEFAULT_RETENTION, logger }: RetentionParts): void {
  try {
    const deleted = store.prune(limits);
    if (deleted > 0) logger.info({ deleted }, 'Deleted completions past their retention.');
    board.prune(limits.maxAgeDays);
  } catch (error) {
    logger.error({ err: error }, 'What is past its retention could not be deleted.');
  }
}

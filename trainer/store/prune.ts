import { FORGOTTEN_MS } from '../../extension/common/data/extensionRows.ts';
import type Database from 'better-sqlite3';

export interface RetentionLimits {
  /** Completions and events older than this are deleted. */
  maxAgeDays: number;
  /** A completion that never got an outcome is deleted after this. */
  maxUnansweredDays: number;
  /** The oldest go first when the content of the database is larger. */
  maxBytes: number;
}

export const DEFAULT_RETENTION: RetentionLimits = {
  maxAgeDays: 90,
  maxUnansweredDays: 7,
  maxBytes: 512 * 1024 * 1024,
};

const DAY_MS = 24 * 60 * 60 * 1000;
/** Completions deleted at a time while the database is too large. */
const SIZE_STEP = 200;

/**
 * Deletes what is older or larger than the limits allow, oldest first. Adapters, runs and which events they used are
 * kept: they are small and the record of what was learned.
 *
 * @returns how many completions were deleted.
 */
export function prune(database: Database.Database, limits: RetentionLimits, now: number): number {
  const deleteEvents = database.prepare('DELETE FROM events WHERE received_at < ?');
  const deleteForgotten = database.prepare('DELETE FROM forgotten WHERE at < ?');
  const deleteOld = database.prepare(
    `DELETE FROM completions WHERE created_at < @oldest
       OR (created_at < @unanswered AND id NOT IN (SELECT completion_id FROM events))`,
  );
  const deleteOldest = database.prepare(
    `DELETE FROM completions WHERE id IN (SELECT id FROM completions ORDER BY created_at LIMIT ${SIZE_STEP})`,
  );
  const deleteOrphans = database.prepare(
    `DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY seq LIMIT ${SIZE_STEP})
       AND completion_id NOT IN (SELECT id FROM completions)`,
  );
  const oldest = now - limits.maxAgeDays * DAY_MS;
  deleteEvents.run(oldest);
  deleteForgotten.run(now - FORGOTTEN_MS);
  let deleted = deleteOld.run({ oldest, unanswered: now - limits.maxUnansweredDays * DAY_MS }).changes;
  while (contentBytes(database) > limits.maxBytes) {
    const step = deleteOldest.run().changes;
    if (step + deleteOrphans.run().changes === 0) break;
    deleted += step;
  }
  return deleted;
}

/** Bytes in use, without the pages that deletions have freed for what comes next. */
function contentBytes(database: Database.Database): number {
  const pragma = (name: string): number => database.pragma(name, { simple: true }) as number;
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
}

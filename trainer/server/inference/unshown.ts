/** Records of completions that were asked for ahead: they are written when it is known that they are shown. */
import { LRUCache } from 'lru-cache';
import type { CompletionRecord } from '../../store/types.ts';

/** A client keeps one look-ahead at a time; this is enough for many windows. */
const RECORDS_MAX = 64;

/** In memory only: what is never shown leaves nothing. */
export class UnshownRecords {
  private readonly records = new LRUCache<string, CompletionRecord>({ max: RECORDS_MAX });

  keep(record: CompletionRecord): void {
    this.records.set(record.id, record);
  }

  /** Nothing that was asked for by now is written any more. */
  forget(): void {
    this.records.clear();
  }

  /** The record as of now, once; undefined: it is not kept, or not any more. */
  take(id: string, documentVersion: number): CompletionRecord | undefined {
    const record = this.records.get(id);
    this.records.delete(id);
    return record && { ...record, createdAt: Date.now(), documentVersion };
  }
}

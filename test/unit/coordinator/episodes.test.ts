import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../../../extension/common/contracts/index.ts';
import { rewardInEpisode } from '../../../trainer/coordinator/episodes.ts';
import { trainingSettingsSchema } from '../../../trainer/coordinator/settings.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import type { CompletionRecord } from '../../../trainer/store/types.ts';
import { completionRecord, outcomeEvent, place, retentionEvent } from '../../fixtures/records.ts';

const START = 1_700_000_000_000;
const ACCEPTED: Outcome = { kind: 'accepted' };
const REJECTED: Outcome = { kind: 'rejected', how: 'escape' };

describe('a reward in its episode', () => {
  let dataDir: string;
  let store: Store;
  let seconds: number;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-episodes-'));
    store = openStore(dataDir);
    seconds = 0;
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  /** A suggestion of four characters ten seconds after the one before, and its outcome. */
  function suggest(outcome: Outcome, change: Partial<CompletionRecord> = {}): CompletionRecord {
    const createdAt = START + 10_000 * seconds++;
    const record = completionRecord({ ...place(seconds, false), createdAt, ...change });
    store.recordCompletion(record);
    store.events.submit([outcomeEvent(record, outcome)], Date.now());
    return record;
  }
  function reward(record: CompletionRecord, own: number, episodeWeight = 1): number {
    const settings = trainingSettingsSchema.parse({ episodeWeight, episodeDiscount: 1 });
    const facts = store.facts.undecided().find((one) => one.completionId === record.id)!;
    return rewardInEpisode(store, store.facts.training(facts)!, own, settings);
  }

  it('is of what stays of all suggestions that followed one another there', () => {
    const [first, second] = [suggest(REJECTED), suggest(ACCEPTED)];
    suggest({ kind: 'partiallyAccepted', chars: 2 });
    // (0 + 4 + 2) of 12 characters stay, less p*.
    assert.equal(reward(first, -0.25), 0.25);
    store.events.submit([retentionEvent(second.id, 120, 0.5)], Date.now());
    assert.equal(reward(first, -0.25).toFixed(6), (4 / 12 - 0.25).toFixed(6));
    assert.equal(reward(first, -0.25, 0), -0.25, 'switched off');
  });

  it('has no part of what was held out, is elsewhere, or was not seen', () => {
    const first = suggest(REJECTED);
    suggest(ACCEPTED, place(1, true));
    suggest(ACCEPTED, { relativePath: 'src/b.ts' });
    suggest(ACCEPTED, { session: 'another window' });
    suggest(ACCEPTED, { offset: 5000 });
    suggest({ kind: 'ignored', shownMs: 10 });
    assert.equal(reward(first, -0.25), -0.25);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBatch } from '../../../trainer/coordinator/batch.ts';
import { trainingSettingsSchema } from '../../../trainer/coordinator/settings.ts';
import type { TextTools } from '../../../trainer/coordinator/text.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import {
  completionRecord,
  correctionEvent,
  MODEL_HASH,
  outcomeEvent,
  place,
} from '../../fixtures/records.ts';

const characters = (value: string): number[] => [...value].map((one) => one.charCodeAt(0));
const text: TextTools = {
  tokenize: characters,
  detokenize: (tokens) => String.fromCharCode(...tokens),
  promptTokens: characters,
  documentTokens: ({ prefix }) => characters(prefix),
  endOfText: 0,
};
const BASE = { version: 0, path: null, scale: 1 };

describe("the gate's texts", () => {
  let dataDir: string;
  let store: Store;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-batch-'));
    store = openStore(dataDir);
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  function holdOut(index: number, typed: string | null, workspaceKey = 'default'): void {
    const record = completionRecord({ ...place(index, true), workspaceKey });
    store.recordCompletion(record);
    const rejected = outcomeEvent(record, { kind: 'rejected', how: 'escape' });
    store.events.submit([rejected, correctionEvent(record.id, typed)], Date.now());
  }
  const targets = (maxGateItems: number): string[] => {
    const settings = trainingSettingsSchema.parse({ maxGateItems });
    const batch = buildBatch(store, [], [BASE], { modelHash: MODEL_HASH, text, settings }, Date.now(), null);
    return batch.heldOut.map((item) => text.detokenize(item.target));
  };

  it('are the newest of which it is known what was typed', () => {
    for (let index = 0; index < 4; index++) holdOut(index, `typed ${index}`);
    for (let index = 4; index < 9; index++) holdOut(index, index % 2 === 0 ? null : '');
    assert.deepEqual(targets(3), ['typed 3', 'typed 2', 'typed 1']);
    assert.equal(targets(64).length, 4);
  });

  it('are those of every workspace', () => {
    holdOut(0, 'typed here', 'c0ffee');
    holdOut(1, 'typed there');
    assert.deepEqual(targets(64), ['typed there', 'typed here']);
  });
});

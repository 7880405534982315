import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../../trainer/store/database.ts';
import { columnOf, isHeldOut, prefixOf } from '../../../trainer/store/heldOut.ts';
import { openStore } from '../../../trainer/store/store.ts';
import { completionRecord, outcomeEvent, place } from '../../fixtures/records.ts';

describe('held-out membership', () => {
  const at = (offset: number, column = 0) =>
    isHeldOut({ relativePath: 'src/a.ts', offset, column, promptText: '' });

  it('holds out a fifth', () => {
    const held = Array.from({ length: 5_000 }, (_, index) => at(index + 1)).filter(Boolean).length;
    assert.ok(Math.abs(held / 5_000 - 0.2) < 0.02, `${held} of 5000`);
  });

  it('is the same for ever', () => {
    const held = Array.from({ length: 30 }, (_, index) => index + 1).filter((offset) => at(offset));
    assert.deepEqual(held, PINNED);
  });

  it('is the same for every caret of one line', () => {
    for (let start = 1; start < 200; start++) {
      const first = at(start);
      for (let column = 1; column < 40; column++) assert.equal(at(start + column, column), first);
    }
  });

  it('goes by the prompt where the client told no position', () => {
    const held = Array.from({ length: 2_000 }, (_, index) =>
      isHeldOut({ relativePath: '', offset: 0, column: 4, promptText: `prompt ${index}` }),
    ).filter(Boolean).length;
    assert.ok(Math.abs(held / 2_000 - 0.2) < 0.03, `${held} of 2000`);
  });

  it('is what was recorded with the completion, not what its place would say later', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hone-held-out-'));
    const store = openStore(dataDir);
    const record = completionRecord(place(0, false));
    store.recordCompletion(record);
    const database = new Database(join(dataDir, DATABASE_FILE));
    database.exec('UPDATE completions SET held_out = 1');
    // The feedback names another place: the line has moved since.
    const event = outcomeEvent(record, { kind: 'accepted' }, { offset: place(1, false).offset });
    store.events.submit([event], 1);
    assert.equal(store.completions.get(record.id)!.heldOut, true);
    assert.deepEqual(
      store.facts.heldOut(10).map((facts) => [facts.eventId, facts.heldOut]),
      [[event.id, true]],
    );
    assert.deepEqual(store.facts.undecided(), []);
    // And what was recorded with the outcome stays, whatever becomes of the completion.
    database.exec('DELETE FROM completions');
    database.close();
    assert.equal(store.facts.heldOut(10).length, 1);
    assert.deepEqual(store.facts.undecided(), []);
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  it('finds the caret column in a prompt of any order', () => {
    assert.equal(columnOf('one\n  two'), 5);
    assert.equal(columnOf('<|fim_prefix|>one\nab<|fim_suffix|>rest of it<|fim_middle|>'), 2);
    assert.equal(columnOf('<|fim_prefix|><|fim_suffix|>rest\n<|fim_middle|>one\nabc'), 3);
    assert.equal(prefixOf('<|fim_prefix|><|fim_suffix|>rest\n<|fim_middle|>one\nabc'), 'one\nabc');
  });
});

/** Offsets below 31 of src/a.ts that are held out; a change here moves events of every user from side to side. */
const PINNED = [2, 3, 4, 9, 11, 14, 23, 28];

import assert from 'node:assert/strict';
import { OutcomeMachine } from '../../../extension/common/outcome/outcomeMachine.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import { measureHostThread } from '../../bench/keystrokes/hostThread.ts';

/** Three times what it may take on a computer that does nothing else. */
const LIMIT_MS = 15;
const KEYS = 600;
const RUNS = 3;
const MORE_TRIES = 5;

describe("the extension host's thread in a file of 20,000 lines", () => {
  it('is given back soon after a keystroke', async () => {
    const first = await measureHostThread(KEYS, RUNS);
    const { requests } = first;
    let { milliseconds } = first;
    assert.ok(requests > 20 && requests < KEYS, `${requests} requests of ${KEYS} keystrokes`);
    // On a busy computer it takes more runs until each keystroke was left alone in one of them.
    for (let more = 0; more < MORE_TRIES && quantile(milliseconds, 0.99) >= LIMIT_MS; more++) {
      const again = await measureHostThread(KEYS, RUNS);
      milliseconds = milliseconds.map((time, key) => Math.min(time, again.milliseconds[key]!));
    }
    const p99 = quantile(milliseconds, 0.99);
    assert.ok(p99 < LIMIT_MS, `p99 ${p99} ms`);
  });

  it('is not held up by a suggestion that ended far away', () => {
    const machine = new OutcomeMachine();
    let longestUnits = 0;
    const text = {
      length: 2_000_000,
      slice: (start: number, end: number) => {
        longestUnits = Math.max(longestUnits, end - start);
        return 'x'.repeat(end - start);
      },
    };
    const offer = (id: string, start: number) => {
      const completion = { id, document: 'd', start, caret: start, replaced: 0, insertText: 'foo' };
      const facts = { language: '', relativePath: '', workspaceKey: '', documentVersion: 1, session: '' };
      const rest = { suggestWidget: false, filters: [], ...facts };
      machine.handle({ type: 'offered', document: 'd', text, at: 0, completion: { ...completion, ...rest } });
    };
    offer('a', 0);
    const edits = [{ offset: 0, deleted: 0, inserted: 'y' }];
    machine.handle({ type: 'change', document: 'd', edits, origin: 'typing', text, at: 1 });
    offer('b', 1_000_000);
    assert.ok(longestUnits < 100, `${longestUnits} units read at once`);
  });
});

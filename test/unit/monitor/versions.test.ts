import assert from 'node:assert/strict';
import type { Outcome } from '../../../extension/common/contracts/index.ts';
import { mergeServed, servedByVersion } from '../../../trainer/monitor/watch.ts';
import { served } from '../../fixtures/served.ts';

const REJECTED: Outcome = { kind: 'rejected', how: 'escape' };

describe('what each version served', () => {
  const took = (version: number, total: number, outcome: Outcome = { kind: 'accepted' }) =>
    served({ version, outcome, latency: { queue: 0, prompt: 1, firstToken: total / 2, total } });
  const rows = [took(2, 100), took(2, 200, REJECTED), took(2, 300, REJECTED), took(0, 50)];
  const figures = servedByVersion({ served: { newest: () => rows } }, 'hash');

  it('has acceptance and latency of the base and of every version that is stored', () => {
    assert.deepEqual([...figures.keys()].sort(), [0, 2]);
    const second = figures.get(2)!;
    assert.ok(Math.abs(second['served/accept_rate']! - 1 / 3) < 1e-9);
    assert.deepEqual([second['served/judged'], second['time/completion_ms_p50']], [3, 200]);
    assert.equal(figures.get(0)!['time/completion_ms_p50'], 50);
  });

  it('does not write over figures of more outcomes than are still stored', () => {
    const kept = { 'gate/held_out': 4, 'served/requests': 80, 'served/accept_rate': 0.5 };
    assert.deepEqual(mergeServed(kept, figures.get(2)), kept);
    const fewer = mergeServed({ ...kept, 'served/requests': 2 }, figures.get(2));
    assert.deepEqual([fewer['served/requests'], fewer['gate/held_out']], [3, 4]);
    assert.equal(mergeServed(kept, undefined), kept);
  });
});

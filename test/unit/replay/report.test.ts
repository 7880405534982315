import assert from 'node:assert/strict';
import type { ArmResult } from '../../../trainer/replay/experiment.ts';
import { armsTable, beforeAfterTable, latencyRow, updatesTable } from '../../../trainer/replay/report.ts';
import { signed, table } from '../../../trainer/replay/table.ts';

const worth = {
  requests: 10,
  acceptRate: 0.25,
  retainedPer1000: 100,
  shownPer1000: 40,
  meanShownChars: 12,
  silentShare: 0.1,
  suppressedShare: 0.2,
};
const interval = (before: number, after: number) => ({
  before,
  after,
  difference: after - before,
  low: after - before - 0.01,
  high: after - before + 0.01,
  files: 12,
});
const result: ArmResult = {
  arm: 'both',
  seed: 1,
  model: 'model',
  adapterVersion: 4,
  dataDir: 'data',
  requests: 10,
  feedbackEvents: 20,
  runs: [],
  stream: worth,
  latencies: [],
  heldOut: {
    files: 12,
    positions: 120,
    logprob: interval(-1.5, -1.4),
    exact: interval(0.2, 0.25),
    kept: interval(200, 230),
    before: worth,
    after: { ...worth, acceptRate: 0.3 },
  },
};

describe('tables', () => {
  it('align the first column left and the others right', () => {
    assert.equal(
      table([
        ['', 'p50'],
        ['idle', '5 ms'],
      ]),
      '       p50\nidle  5 ms',
    );
  });

  it('always show a sign', () => {
    assert.deepEqual([signed(0.5, 1), signed(-0.5, 1), signed(0, 1)], ['+0.5', '-0.5', '+0.0']);
  });

  it('show before, after, the change and its interval', () => {
    const lines = beforeAfterTable(result).split('\n');
    assert.match(lines[1]!, /nats a token\s+-1\.500\s+-1\.400\s+\+0\.100\s+\+0\.090 … \+0\.110$/);
    assert.match(lines[2]!, /20\.0\s+25\.0\s+\+5\.0\s+\+4\.0 … \+6\.0$/);
    assert.match(lines[3]!, /200\s+230\s+\+30\s/);
    assert.match(lines[4]!, /25\.0 %\s+30\.0 %$/);
  });

  it('put arms and seeds side by side', () => {
    const rows = armsTable([result, { ...result, arm: 'ppo', seed: 2 }]).split('\n');
    assert.equal(rows.length, 3);
    assert.match(rows[2]!, /^ppo\s+2\s+4\s+\+0\.100/);
  });

  it('list the seconds of every update by phase', () => {
    const run = { id: 'a', events: 16, decision: 'promoted' as const, reason: '', version: 1, figures: {} };
    const text = updatesTable([
      { ...run, seconds: { train: 2, gate: 1 } },
      { ...run, version: null, decision: 'failed', seconds: { learner: 3 } },
    ]);
    assert.match(text, /train s\s+gate s\s+learner s/);
    assert.match(text.split('\n')[2]!, /failed\s+-\s+-\s+3\.0$/);
    assert.equal(updatesTable([]), 'No update was made.');
  });

  it('say nothing about latency where nothing was measured', () => {
    assert.deepEqual(latencyRow('idle', []), ['idle', '-', '-', '0']);
    assert.deepEqual(latencyRow('idle', [10, 20, 30]), ['idle', '20 ms', '29 ms', '3']);
  });
});

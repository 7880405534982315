import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdapterList, Outcome } from '../../extension/common/contracts/index.ts';
import { boardFolder, TRAIN_LOG_FILE } from '../../trainer/board/board.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { outcomeEvent } from '../fixtures/records.ts';

const REJECTED: Outcome = { kind: 'rejected', how: 'typedAgainst' };

describe('the live fuse in service', () => {
  let service: LearningService;

  /** Completions that a version served and what became of them, in one batch. */
  const serve = async (
    adapterVersion: number,
    count: number,
    become: (turn: number) => [string, Outcome],
  ) => {
    const events = Array.from({ length: count }, (_, turn) => {
      const [text, outcome] = become(turn);
      const record = service.completion({ adapterVersion, rawText: text });
      const shownText = outcome.kind === 'silent' ? '' : text;
      return outcomeEvent(record, outcome, { shownText });
    });
    await service.submit({ v: 1, events });
  };
  const honest = (turn: number): [string, Outcome] => [
    'addTo(item)',
    turn % 3 === 0 ? { kind: 'accepted' } : REJECTED,
  ];
  const train = async () => void (await service.call('POST', '/api/training/step'));

  beforeEach(async () => {
    service = await openLearningService({ batchEvents: 1000 });
    await serve(0, 80, honest);
    await train();
    assert.equal(service.tiny.engine.adapter.version, 1);
  });
  afterEach(() => service.close());

  it('keeps what a version does with it, and lets a good one be', async () => {
    await serve(1, 60, honest);
    const status = await service.until((s) => s.served?.figures['served/requests'] === 100);
    assert.deepEqual(status.served!.alarms, []);
    assert.equal(status.adapterVersion, 1);
    assert.ok(Math.abs(service.store.adapters.get(1)!.figures['served/accept_rate']! - 1 / 3) < 1e-9);
    const { body } = await service.call('GET', '/api/adapters');
    const { adapters } = body as unknown as AdapterList;
    assert.ok(adapters.every(({ figures }) => Math.abs(figures['served/accept_rate']! - 1 / 3) < 0.01));
    assert.deepEqual(
      adapters.map(({ version, figures }) => [version, figures['time/completion_ms_p50']]),
      [
        [0, 2],
        [1, 2],
      ],
    );
    const metrics = await fetch(`${service.url}/metrics`, {
      headers: { authorization: 'Bearer feedback-token' },
    });
    assert.match(await metrics.text(), /^hone_served_accept_rate 0\.3\d*$/m);
  });

  for (const [name, alarm, become] of [
    ['is always silent', 'Silent', () => ['', { kind: 'silent' }]],
    ['suggests one character', 'one character', () => [';', { kind: 'accepted' }]],
    ['is rejected', null, () => ['addTo(item)', REJECTED]],
  ] as [string, string | null, (turn: number) => [string, Outcome]][])
    it(`takes back a version that ${name}, with the numbers`, async () => {
      await serve(1, 60, become);
      const status = await service.until((s) => s.rolledBack !== undefined);
      assert.equal(status.adapterVersion, 0);
      assert.equal(service.tiny.engine.adapter.version, 0);
      assert.deepEqual([status.rolledBack!.version, status.rolledBack!.target], [1, 0]);
      if (alarm !== null) assert.ok(status.rolledBack!.reason.includes(alarm), status.rolledBack!.reason);
      const row = service.store.adapters.get(1)!;
      assert.equal(row.status, 'rolledBack');
      assert.equal(row.figures['fuse/target'], 0);
      assert.equal(row.figures['served/requests'], 60);
      const log = readFileSync(join(boardFolder(service.dataDir), 'default', TRAIN_LOG_FILE), 'utf8');
      assert.match(log, /Version 1 was taken out of service, version 0 serves again\./);
    });

  it('leaves a version that was brought back by hand', async () => {
    await serve(1, 60, () => ['addTo(item)', REJECTED]);
    await service.until((s) => s.rolledBack !== undefined);
    await service.call('POST', '/api/adapters/1/activate');
    await serve(1, 40, () => ['addTo(item)', REJECTED]);
    await service.until((s) => s.served?.figures['served/accept_rate'] === 0);
    assert.equal((await service.status()).adapterVersion, 1);
  });
});

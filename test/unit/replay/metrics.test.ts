import assert from 'node:assert/strict';
import type { FeedbackEvent } from '../../../extension/common/contracts/index.ts';
import type { Exchange } from '../../../trainer/replay/developer.ts';
import { servedItems, streamItems, worthOf } from '../../../trainer/replay/metrics.ts';

const exchange = (completionId: string, facts: Partial<Exchange>): Exchange => ({
  path: 'a.ts',
  language: 'typescript',
  line: 1,
  column: 0,
  atStart: true,
  completionId,
  adapterVersion: 0,
  followUp: false,
  raw: '',
  shown: '',
  silent: false,
  reaction: 'none',
  rest: '0123456789',
  takenChars: 0,
  ...facts,
});

const event = (completionId: string, facts: object): FeedbackEvent =>
  ({ v: 1, id: `event-${completionId}`, completionId, at: 0, ...facts }) as unknown as FeedbackEvent;

describe('worth of a stream', () => {
  const exchanges = [
    exchange('accepted', { shown: '0123456789', takenChars: 10 }),
    exchange('deleted', { shown: '0123456789', takenChars: 10 }),
    exchange('part', { shown: '0123xx', takenChars: 4 }),
    exchange('typed', { shown: '0123' }),
    exchange('refused', { shown: 'no' }),
    exchange('silent', { silent: true }),
    exchange('hidden', { hiddenBy: 'loneCloser' }),
  ];
  const outcome = (id: string, value: object) => event(id, { kind: 'outcome', outcome: value });
  const retention = (id: string, afterSeconds: number, fraction: number | null) =>
    event(id, { kind: 'retention', afterSeconds, fraction });
  const worth = worthOf(
    streamItems(exchanges, [
      outcome('accepted', { kind: 'accepted' }),
      retention('accepted', 120, 1),
      outcome('deleted', { kind: 'accepted' }),
      retention('deleted', 30, 1),
      retention('deleted', 120, 0),
      outcome('part', { kind: 'partiallyAccepted', chars: 4 }),
      retention('part', 120, 0.5),
      outcome('typed', { kind: 'typedThrough', chars: 4 }),
      outcome('refused', { kind: 'rejected', how: 'escape' }),
      outcome('silent', { kind: 'silent' }),
      outcome('hidden', { kind: 'suppressed', by: 'loneCloser' }),
    ]),
  );

  it('counts what was taken whole or typed through whole as accepted, of what was shown', () => {
    assert.equal(worth.acceptRate, 3 / 5);
  });

  it('counts characters that were still there after two minutes', () => {
    assert.equal(worth.retainedPer1000, (1000 * (10 + 0 + 2)) / 70);
  });

  it('tells shown, silent and hidden apart', () => {
    assert.equal(worth.requests, 7);
    assert.equal(worth.shownPer1000, (1000 * 5) / 70);
    assert.equal(worth.meanShownChars, (10 + 10 + 6 + 4 + 2) / 5);
    assert.equal(worth.silentShare, 1 / 7);
    assert.equal(worth.suppressedShare, 1 / 7);
  });

  it('is zero, not undefined, for nothing', () => {
    assert.deepEqual(new Set(Object.values(worthOf([]))), new Set([0]));
  });
});

describe('worth of fixed positions', () => {
  it('keeps silence apart from a hidden suggestion', () => {
    const place = {
      path: 'a.ts',
      language: 'typescript',
      line: 1,
      column: 0,
      atStart: true,
      restChars: 10,
      latencyMs: 1,
    };
    const items = servedItems([
      { ...place, shown: 'abc', silent: false, accepted: true, keptChars: 3 },
      { ...place, shown: '', silent: true, accepted: false, keptChars: 0 },
      { ...place, shown: '', silent: false, hiddenBy: 'emptyText', accepted: false, keptChars: 0 },
    ]);
    const worth = worthOf(items);
    assert.deepEqual([worth.silentShare, worth.suppressedShare, worth.acceptRate], [1 / 3, 1 / 3, 1]);
    assert.equal(worth.retainedPer1000, 100);
  });
});

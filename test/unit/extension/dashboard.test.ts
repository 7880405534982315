import assert from 'node:assert/strict';
import type { Bucket, StoreFigures, Suggestion } from '../../../extension/common/contracts/dashboard.ts';
import {
  fromDashboardSchema,
  toDashboardSchema,
  type AdapterList,
  type TrainingRuns,
  type TrainingStatus,
} from '../../../extension/common/contracts/index.ts';
import { runCharts, summaryOf, tableOf, usageCharts } from '../../../extension/common/dashboard/charts.ts';
import {
  bytes,
  count,
  day,
  figure,
  milliseconds,
  moment,
  percent,
} from '../../../extension/common/dashboard/format.ts';
import { dashboardPage } from '../../../extension/common/dashboard/page.ts';
import { dayRanges, shownRanges } from '../../../extension/common/dashboard/ranges.ts';
import {
  adapterStatusText,
  afterwardsText,
  alarmTexts,
  canActivate,
  outcomeText,
  trainingStateText,
} from '../../../extension/common/dashboard/words.ts';
import { totalOf, worthOf } from '../../../extension/common/dashboard/worth.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NO_BREAK = '\u00a0';

function bucket(change: Partial<Bucket> = {}): Bucket {
  return {
    ...{ from: 0, to: DAY_MS, requests: 0, shown: 0, judged: 0, taken: 0, silent: 0, suppressed: 0 },
    ...{ takenChars: 0, keptChars: 0, writtenChars: 0, latency: null },
    ...change,
  };
}

describe('numbers of the dashboard', () => {
  const cases: [
    write: (value: number | null | undefined) => string,
    value: number | null | undefined,
    text: string,
  ][] = [
    [count, 1234, '1,234'],
    [count, 0.25, '0.3'],
    [count, null, '–'],
    [count, undefined, '–'],
    [count, NaN, '–'],
    [percent, 0.366, '37 %'],
    [percent, 0, '0 %'],
    [milliseconds, 140.4, '140 ms'],
    [milliseconds, 1234, '1.2 s'],
    [bytes, 0, '0 B'],
    [bytes, 999, '999 B'],
    [bytes, 12_345_678, '12.3 MB'],
    [bytes, 5e12, '5000.0 GB'],
    [figure, 3, '3'],
    [figure, 0.00123456, '0.001235'],
    [figure, 0.04, '0.04'],
    [day, new Date(2026, 5, 15).getTime(), `15${NO_BREAK}Jun`],
    [moment, new Date(2026, 5, 15, 9, 30).getTime(), `15${NO_BREAK}Jun${NO_BREAK}09:30`],
    [moment, null, '–'],
  ];
  for (const [write, value, text] of cases) {
    it(`${write.name}(${value}) is ${text}`, () => assert.equal(write(value), text));
  }
});

describe('ranges of the dashboard', () => {
  const zone = process.env.TZ;
  before(() => (process.env.TZ = 'Europe/Berlin'));
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('are days of the calendar, also where the clocks are changed', () => {
    const days = dayRanges(new Date(2026, 2, 30, 15).getTime(), '30days');
    assert.equal(days.length, 30);
    assert.equal(days.at(-1)!.from, new Date(2026, 2, 30).getTime());
    for (const [index, { to }] of days.slice(0, -1).entries()) assert.equal(to, days[index + 1]!.from);
    // The last Sunday of March has 23 hours.
    const hours = days.map(({ from, to }) => (to - from) / (60 * 60 * 1000));
    assert.deepEqual([hours.at(-2), hours.filter((length) => length !== 24).length], [23, 1]);
  });

  it('hold as many shown suggestions as they are told to, the newest what is left', () => {
    const newestFirst = [70, 60, 50, 40, 30, 20, 10];
    const ranges = shownRanges(newestFirst, 3, 100);
    assert.deepEqual(ranges, [
      { from: 10, to: 40 },
      { from: 40, to: 70 },
      { from: 70, to: 101 },
    ]);
    assert.deepEqual(shownRanges([], 3, 100), []);
    // A clock that was set back: the newest is not left out.
    assert.deepEqual(shownRanges([200], 3, 100), [{ from: 200, to: 201 }]);
  });
});

describe('what suggestions were worth', () => {
  it('is told by all figures together', () => {
    const counts = { requests: 20, shown: 10, judged: 8, taken: 2, silent: 5, suppressed: 4, keptChars: 50 };
    assert.deepEqual(worthOf(bucket({ ...counts, writtenChars: 500 })), {
      acceptance: 0.25,
      keptPer1000: 100,
      shownPer1000: 20,
      silentShare: 0.25,
      suppressedShare: 0.2,
    });
  });

  it('is not known where nothing happened', () => {
    assert.deepEqual(Object.values(worthOf(bucket())), [null, null, null, null, null]);
  });

  it('is not held against the characters of other days', () => {
    const early = bucket({ shown: 100, keptChars: 1000, judged: 10, taken: 5 });
    const late = bucket({ shown: 10, keptChars: 200, judged: 10, taken: 0, writtenChars: 1000 });
    const { acceptance, keptPer1000, shownPer1000 } = worthOf(totalOf([early, late]));
    assert.deepEqual([acceptance, keptPer1000, shownPer1000], [0.25, 200, 10]);
  });
});

describe('charts of the dashboard', () => {
  const figures: StoreFigures = {
    buckets: [
      bucket({ judged: 4, taken: 1, latency: { p50: 100, p95: 300 } }),
      bucket({ from: DAY_MS, to: 2 * DAY_MS }),
      bucket({ from: 2 * DAY_MS, to: 3 * DAY_MS, judged: 4, taken: 3 }),
    ],
    versionChanges: [
      { at: -1, version: 1 },
      { at: DAY_MS / 2, version: 2 },
      { at: 2 * DAY_MS, version: 3 },
      { at: 9 * DAY_MS, version: 4 },
    ],
    suggestions: [],
    counts: { completions: 0, events: 0, pending: 0, refused: 0, outcomes: {} },
    since: null,
    bytes: 0,
  };
  const [acceptance, , , latency] = usageCharts(figures, '30days');

  it('mark the versions that began to serve where they did', () => {
    assert.deepEqual(acceptance!.marks, [
      { position: 0.5, label: 'v2' },
      { position: 2, label: 'v3' },
    ]);
  });

  it('leave out what is not known', () => {
    assert.deepEqual(acceptance!.series[0]!.values, [0.25, null, 0.75]);
    assert.deepEqual(
      latency!.series.map(({ name, values }) => [name, values[0]]),
      [
        ['median', 100],
        ['95th percentile', 300],
      ],
    );
  });

  it('are told in a sentence', () => {
    assert.equal(
      summaryOf(acceptance!),
      'Acceptance, 3 points. taken of the judged: from 25 % to 75 %, last 75 %.',
    );
    const none = { ...acceptance!, series: [{ name: 'x', values: [null] }] };
    assert.match(summaryOf(none), /x: nothing yet/);
  });

  it('are a table, newest first, without points of which nothing is known', () => {
    const { head, rows } = tableOf(acceptance!);
    assert.deepEqual(head, ['Day', 'taken of the judged', 'New version']);
    assert.deepEqual(
      rows.map((row) => row.slice(1)),
      [
        ['75 %', 'v3'],
        ['25 %', 'v2'],
      ],
    );
  });

  it('draw updates from the oldest on, without failed ones and series that nobody told of', () => {
    const run = (version: number, decision: 'promoted' | 'failed', tags: Record<string, number>) => ({
      ...{ id: `${version}`, at: version, parent: version - 1, version, events: 1, reason: '', seconds: {} },
      ...{ decision, figures: tags },
    });
    const newestFirst: TrainingRuns['runs'] = [
      run(3, 'failed', {}),
      run(2, 'promoted', { 'losses/correction_loss': 1 }),
      run(1, 'promoted', { 'losses/correction_loss': 2, 'gate/kl_general': 0.1 }),
    ];
    assert.deepEqual(
      runCharts(newestFirst).map(({ title, labels, series }) => [title, labels, series]),
      [
        ['Loss a token', ['version 1', 'version 2'], [{ name: 'typed instead', values: [2, 1] }]],
        [
          'KL divergence, nats a token',
          ['version 1', 'version 2'],
          [{ name: 'to the base, general code', values: [0.1, null] }],
        ],
      ],
    );
    assert.deepEqual(runCharts([]), []);
  });
});

describe('words of the dashboard', () => {
  const outcomes: [outcome: Suggestion['outcome'], text: string][] = [
    [null, 'open'],
    [{ kind: 'accepted' }, 'accepted'],
    [{ kind: 'partiallyAccepted', chars: 4 }, 'accepted in part: 4 of 9 characters'],
    [{ kind: 'typedThrough', chars: 9 }, 'typed out: 9 of 9 characters'],
    [{ kind: 'rejected', how: 'escape' }, 'rejected with Escape'],
    [{ kind: 'rejected', how: 'typedAgainst' }, 'rejected: something else was typed'],
    [{ kind: 'ignored' }, 'ignored'],
    [{ kind: 'suppressed' }, 'hidden by a filter'],
    [{ kind: 'silent' }, 'the model chose none'],
    [{ kind: 'somethingNew' }, 'somethingNew'],
  ];
  for (const [outcome, text] of outcomes) {
    it(text, () => assert.equal(outcomeText({ outcome, shownChars: 9 }), text));
  }

  it('say what is left, or what was typed instead', () => {
    assert.equal(afterwardsText({ kept: 0.5, typed: 'x' }), '50 % still there');
    assert.equal(afterwardsText({ kept: null, typed: 'x' }), 'typed: x');
    assert.equal(afterwardsText({ kept: null, typed: null }), '');
  });

  it('tell alarms of what serves and of the last update, and the version that was taken back', () => {
    const lastRun = {
      ...{ id: 'r', events: 1, decision: 'promoted' as const, reason: '', version: 1, seconds: {} },
      figures: {
        'alarm/engineMismatch': 1,
        'rollout/engine_logprob_diff': 0.2,
        'alarm/fewEffectiveSamples': 0,
      },
    };
    const training = {
      served: { figures: {}, alarms: ['Silent: 90 % of 100.'] },
      rolledBack: { version: 3, target: 1, reason: 'worse', at: 0 },
      lastRun,
    } as unknown as TrainingStatus;
    assert.deepEqual(alarmTexts(training), [
      'Silent: 90 % of 100.',
      'Last update: serving and training differ by 0.2 nats a token.',
      'Version 3 was taken out of service, version 1 serves again: worse',
    ]);
    assert.deepEqual(alarmTexts(null), []);
  });

  it('say what learning does, or what holds it up', () => {
    const text = (change: object) => trainingStateText({ state: 'paused', ...change } as TrainingStatus);
    assert.equal(text({ state: 'waiting' }), 'waiting for more events');
    assert.equal(text({ pausedByUser: true, pausedBecause: 'battery' }), 'paused until it is resumed');
    assert.equal(text({ pausedBecause: 'battery' }), 'paused: on battery');
    assert.equal(text({}), 'paused');
  });

  it('say why a version was taken out of service', () => {
    const figures = {
      ...{ 'fuse/accepted': 3, 'fuse/judged': 40, 'fuse/accepted_before': 30, 'fuse/judged_before': 60 },
    };
    assert.equal(
      adapterStatusText({ status: 'rolledBack', figures }),
      'rolled back: 3 of 40 taken, 30 of 60 before',
    );
    assert.equal(adapterStatusText({ status: 'rolledBack', figures: {} }), 'rolled back');
    // Brought back by hand afterwards, and proven: it stays what it was.
    assert.equal(adapterStatusText({ status: 'promoted', figures }), 'promoted');
  });

  it('offer to activate what has a file and is of the model that serves', () => {
    const adapter = (change: object) => ({
      ...{
        version: 1,
        parent: 0,
        workspaceKey: 'default',
        model: 'm',
        createdAt: 0,
        status: 'promoted' as const,
      },
      ...{ active: false, scale: 1, figures: {}, modelHash: 'a' },
      ...change,
    });
    const adapters = [
      adapter({ version: 0, status: 'base' }),
      adapter({ version: 1 }),
      adapter({ version: 2, active: true }),
      adapter({ version: 3, collected: true }),
      adapter({ version: 4, modelHash: 'b' }),
      adapter({ version: 5, status: 'rolledBack' }),
    ];
    const list: AdapterList = { active: 2, adapters };
    assert.deepEqual(
      adapters.filter((one) => canActivate(one, list)).map(({ version }) => version),
      [0, 1, 5],
    );
  });
});

describe("the dashboard's page", () => {
  const html = dashboardPage({
    nonce: 'abc',
    source: 'https://files',
    script: 'https://files/d.js',
    style: 's.css',
  });

  it('allows its own script and style sheets, and nothing else', () => {
    assert.match(html, /content="default-src 'none'; script-src 'nonce-abc'; style-src https:\/\/files"/);
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.match(html, /<script nonce="abc" src="https:\/\/files\/d\.js"><\/script>/);
    assert.doesNotMatch(html, /unsafe|<style|style="|\bon\w+=/);
  });
});

describe('messages of the dashboard', () => {
  it('are refused when they are none', () => {
    for (const message of [
      null,
      {},
      { type: 'other' },
      { type: 'activate' },
      { type: 'activate', version: -1 },
    ])
      assert.equal(fromDashboardSchema.safeParse(message).success, false);
    assert.equal(fromDashboardSchema.safeParse({ type: 'activate', version: 3 }).success, true);
    assert.equal(toDashboardSchema.safeParse({ type: 'data', data: {} }).success, false);
  });
});

import assert from 'node:assert/strict';
import type { TrainingStatus } from '../../../extension/common/contracts/feedback.ts';
import {
  prefixOnlyReason,
  statusView,
  whyNothingIsOffered,
  type Situation,
} from '../../../extension/common/status/statusView.ts';

const training: TrainingStatus = {
  v: 1,
  stored: 20,
  queued: 4,
  heldOut: 3,
  trained: 16,
  dropped: {},
  adapterVersion: 2,
  adapters: {},
  state: 'idle',
  lastRun: {
    id: 'r',
    events: 16,
    decision: 'promoted',
    reason: 'better by 0.1',
    version: 2,
    seconds: { train: 3.14 },
    figures: { 'losses/approx_kl': 0.001234567 },
  },
};

const ready: Situation = {
  companion: { kind: 'ready' },
  remote: null,
  storeError: null,
  tracking: true,
  unanswered: false,
  trusted: true,
  completions: true,
  snooze: null,
  language: { id: 'typescript', off: false },
  inWorkspace: true,
  offHere: null,
  model: 'M',
  fellBack: null,
  training,
  today: { taken: 31, judged: 50 },
};

describe('status bar', () => {
  const cases: [change: Partial<Situation>, kind: string, text: RegExp][] = [
    [{}, 'ready', /^\$\(sparkle\) Hone: ready · 62 % · v2$/],
    [{ today: { taken: 4, judged: 4 } }, 'ready', /Hone: ready · v2$/],
    [{ today: null, training: { ...training, adapterVersion: 0 } }, 'ready', /Hone: ready$/],
    [{ training: null }, 'ready', /Hone: ready · 62 %$/],
    [{ snooze: 12 }, 'snoozed', /Hone: snoozed, 12 min left$/],
    [{ snooze: 'restart', completions: false }, 'snoozed', /Hone: snoozed, until restart$/],
    [{ completions: false, tracking: false }, 'completionsOff', /Hone: suggestions off$/],
    [{ offHere: 'language' }, 'offHere', /Hone: off in this language$/],
    [{ companion: { kind: 'starting' } }, 'starting', /Hone: starting$/],
    [{ fellBack: 'gone' }, 'fellBack', /\$\(warning\) Hone: embedded model$/],
    [{ fellBack: 'gone', training: { ...training, state: 'training' } }, 'learning', /Hone: learning/],
    [
      { training: { ...training, state: 'paused', pausedBecause: 'battery' } },
      'ready',
      /Hone: ready, learning paused: on battery/,
    ],
    [{ training: { ...training, state: 'paused', pausedBecause: 'cold' } }, 'ready', /learning paused: cold/],
    [{ fellBack: 'gone', storeError: 'disk full' }, 'error', /Hone: error$/],
    [{ training: { ...training, state: 'training' } }, 'learning', /Hone: learning · 62 % · v2$/],
    [{ training: { ...training, state: 'gating' } }, 'learning', /Hone: learning · 62 % · v2$/],
    [
      { training: { ...training, state: 'paused', progress: { phase: 'train', done: 1, total: 9 } } },
      'learning',
      /Hone: learning · 62 % · v2$/,
    ],
    [{ training: { ...training, state: 'paused' } }, 'ready', /Hone: ready · 62 % · v2$/],
    [{ training: { ...training, pausedByUser: true } }, 'ready', /Hone: ready, learning paused · 62 % · v2$/],
    [{ tracking: false, unanswered: true }, 'unanswered', /Hone: may it learn\?$/],
    [{ tracking: false, unanswered: true, trusted: false }, 'trackingOff', /Hone: tracking off/],
    [{ tracking: false }, 'trackingOff', /Hone: tracking off · 62 % · v2$/],
    [{ offHere: 'ignoredByGit' }, 'offHere', /Hone: off in this file$/],
    [{ offHere: 'excluded', tracking: false }, 'offHere', /Hone: off in this file$/],
    [{ offHere: 'excluded', storeError: 'disk full' }, 'error', /Hone: error$/],
    [{ trusted: false }, 'trackingOff', /Hone: tracking off/],
    [{ companion: { kind: 'error', message: 'port taken' } }, 'error', /Hone: error$/],
    [{ storeError: 'disk full' }, 'error', /Hone: error$/],
    [{ training: { ...training, state: 'error', error: 'no' } }, 'error', /Hone: error$/],
    [{ tracking: false, companion: { kind: 'error', message: 'x' } }, 'error', /Hone: error$/],
  ];
  for (const [change, kind, text] of cases) {
    it(`${kind} for ${JSON.stringify(change).slice(0, 60)}`, () => {
      const view = statusView({ ...ready, ...change });
      assert.equal(view.kind, kind);
      assert.match(view.text, text);
    });
  }

  it('has no sign of work that nothing ends: an update that rests for hours', () => {
    const progress = { phase: 'train', done: 1, total: 9 } as const;
    const resting = { ...training, state: 'paused', pausedBecause: 'battery', progress } as const;
    const view = statusView({ ...ready, training: resting });
    assert.equal(view.kind, 'ready');
    assert.match(view.text, /^\$\(sparkle\) Hone: ready, learning paused: on battery/);
  });

  it('tells adapter version, last decision, accept rate of today and what a click does', () => {
    const tooltip = statusView(ready).tooltip.join('\n');
    assert.match(tooltip, /Taken today: 31 of 50 suggestions/);
    assert.match(tooltip, /Adapter version: 2/);
    assert.match(tooltip, /promoted \(version 2\), 16 events: better by 0\.1/);
    assert.match(tooltip, /Tracking is on\.\nClick for the menu\.$/);
    const onBattery = statusView({ ...ready, training: { ...training, pausedBecause: 'battery' } }).tooltip;
    assert.ok(onBattery.some((line) => line.includes('hone.learning.onBattery')));
    const fellBack = statusView({ ...ready, fellBack: 'The model could not be loaded.' }).tooltip;
    assert.equal(fellBack[0], 'The model could not be loaded.');
    assert.match(statusView({ ...ready, trusted: false }).tooltip.join('\n'), /not trusted/);
  });

  it('says all of it to a screen reader, without icons', () => {
    const { accessible, tooltip } = statusView({ ...ready, snooze: 5 });
    assert.match(accessible, /^Hone: snoozed, 5 min left\. Hone is snoozed/);
    for (const line of tooltip) assert.ok(accessible.includes(line.replace(/\.$/, '')), line);
    assert.doesNotMatch(accessible, /\$\(/);
  });

  it('names the other machine that serves, or is to, and says when that is unencrypted', () => {
    const remote = { host: 'machine:8443', warning: null };
    assert.match(statusView({ ...ready, remote }).text, /Hone: ready · 62 % · v2 · machine:8443$/);
    assert.ok(statusView({ ...ready, remote }).tooltip.includes('Served by machine:8443'));
    const starting = statusView({ ...ready, remote, companion: { kind: 'starting' } });
    assert.match(starting.text, /Hone: starting · machine:8443$/);
    const open = statusView({ ...ready, remote: { ...remote, warning: 'It is unencrypted.' } });
    assert.match(open.text, / · machine:8443, unencrypted$/);
    assert.ok(open.tooltip.includes('It is unencrypted.'));
  });

  it('says why nothing is offered', () => {
    const why = (change: Partial<Situation>) => whyNothingIsOffered({ ...ready, ...change });
    assert.equal(why({}), null);
    assert.match(why({ completions: false })!, /switched off/);
    assert.match(why({ snooze: 3 })!, /snoozed: 3 min left/);
    assert.match(why({ offHere: 'language' })!, /in this language/);
  });
});

describe('a model that is shown the prefix only', () => {
  const health = {
    status: 'ok' as const,
    service: 'inference' as const,
    model: 'm',
    adapterVersion: 0,
    contextTokens: 512,
  };

  it('is so for want of markers or by the setting, and that is told', () => {
    assert.equal(prefixOnlyReason({ ...health, fim: true, fimTemplate: 'qwen, psm' }), null);
    assert.match(
      prefixOnlyReason({ ...health, fim: false, prefixOnly: 'noMarkers' })!,
      /no fill-in-the-middle tokens: prefix only/,
    );
    assert.match(
      prefixOnlyReason({ ...health, fim: false, prefixOnly: 'setting' })!,
      /switched off by hone\.completions\.fimTemplate: prefix only/,
    );
  });
});

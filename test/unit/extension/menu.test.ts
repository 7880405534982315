import assert from 'node:assert/strict';
import type { AdapterSummary, TrainingStatus } from '../../../extension/common/contracts/feedback.ts';
import { COMMANDS } from '../../../extension/common/contributions.ts';
import { adapterChoices } from '../../../extension/common/status/adapterChoices.ts';
import { issueReport } from '../../../extension/common/status/issueReport.ts';
import { menuItems } from '../../../extension/common/status/menu.ts';
import { snoozeRest } from '../../../extension/common/status/snooze.ts';
import type { Situation } from '../../../extension/common/status/statusView.ts';
import { languageSwitched, workspaceSwitched } from '../../../extension/common/status/switches.ts';
import { acceptRate, dayStart } from '../../../extension/common/status/today.ts';
import { KeptLog } from '../../../extension/node/keptLog.ts';

const situation: Situation = {
  companion: { kind: 'ready' },
  remote: null,
  storeError: null,
  tracking: true,
  unanswered: false,
  trusted: true,
  completions: true,
  snooze: null,
  language: { id: 'go', off: false },
  inWorkspace: true,
  offHere: null,
  model: 'M',
  fellBack: null,
  training: { adapterVersion: 3, queued: 7, state: 'idle' } as TrainingStatus,
  today: null,
};

describe('the quick menu', () => {
  const commandsIn = (change: Partial<Situation> = {}) =>
    menuItems({ ...situation, ...change }).flatMap((item) => (item.kind === 'command' ? [item] : []));
  const find = (name: string, change: Partial<Situation> = {}) =>
    commandsIn(change).find(({ command }) => command === name);

  it('begins with the switch of tracking: a click and Enter', () => {
    const [first] = menuItems(situation);
    assert.deepEqual(first, {
      kind: 'command',
      command: 'toggleTracking',
      label: '$(record) Turn tracking off',
      description: 'on: outcomes are recorded and learned from',
    });
    assert.match(find('toggleTracking', { tracking: false })!.label, /Turn tracking on$/);
    const unanswered = { tracking: false, unanswered: true };
    assert.match(find('toggleTracking', unanswered)!.label, /Say whether Hone may learn/);
    assert.match(find('toggleTracking', { ...unanswered, trusted: false })!.label, /Turn tracking on$/);
    assert.match(find('toggleTracking', { trusted: false })!.description, /not trusted/);
  });

  it('lists each command once, and only known ones', () => {
    for (const change of [
      {},
      { snooze: 5 as const },
      { language: null, inWorkspace: false, training: null },
    ]) {
      const names = commandsIn(change).map(({ command }) => command);
      assert.equal(new Set(names).size, names.length);
      for (const name of names) assert.ok(name in COMMANDS, name);
    }
  });

  it('says how things are and what a line turns them to', () => {
    assert.match(find('toggleLanguage')!.label, /Turn suggestions off in go$/);
    assert.match(find('toggleLanguage', { language: { id: 'go', off: true } })!.label, /on in go$/);
    assert.match(find('toggleWorkspace', { completions: false })!.label, /on in this workspace$/);
    assert.equal(find('trainNow')!.description, '7 events wait');
    assert.equal(find('activateAdapter')!.description, 'version 3 in service');
  });

  it('offers only what can be done', () => {
    assert.equal(find('endSnooze'), undefined);
    assert.equal(find('snooze', { snooze: 5 }), undefined);
    assert.equal(find('endSnooze', { snooze: 5 })!.description, '5 min left');
    assert.equal(find('toggleLanguage', { language: null }), undefined);
    assert.equal(find('toggleWorkspace', { inWorkspace: false }), undefined);
    assert.equal(find('rollBackAdapter', { training: null }), undefined);
    assert.equal(find('resumeLearning'), undefined);
    const paused = { training: { ...situation.training!, pausedByUser: true } };
    assert.equal(find('pauseLearning', paused), undefined);
    assert.ok(find('resumeLearning', paused));
  });
});

describe('a snooze', () => {
  for (const [until, now, rest] of [
    [60_000, 0, 1],
    [60_001, 0, 2],
    [60_000, 59_999, 1],
    [60_000, 60_000, null],
    [60_000, 90_000, null],
    [null, 90_000, 'restart'],
  ] as const) {
    it(`until ${until} has ${rest} left at ${now}`, () => assert.equal(snoozeRest(until, now), rest));
  }
});

describe('switches', () => {
  it('put a language in and take it out again', () => {
    assert.deepEqual(languageSwitched(['markdown'], 'go'), ['go', 'markdown']);
    assert.deepEqual(languageSwitched(['go', 'markdown'], 'go'), ['markdown']);
  });

  for (const [elsewhere, own, after] of [
    [true, undefined, false],
    [true, false, undefined],
    [true, true, false],
    [false, undefined, true],
    [false, true, undefined],
    [false, false, true],
  ] as const) {
    it(`turn ${own ?? 'nothing'} of the workspace over where ${elsewhere} holds`, () =>
      assert.equal(workspaceSwitched(elsewhere, own), after));
  }
});

describe("today's accept rate", () => {
  it('is a whole percentage', () => assert.equal(acceptRate({ taken: 4, judged: 6 }), '67 %'));

  it('is not told of a few', () => assert.equal(acceptRate({ taken: 4, judged: 4 }), null));

  it('begins at midnight', () => {
    const noon = new Date(2024, 4, 17, 12, 34).getTime();
    assert.equal(dayStart(noon), new Date(2024, 4, 17).getTime());
    assert.equal(dayStart(dayStart(noon)), dayStart(noon));
  });
});

describe('adapter versions to choose from', () => {
  const version = (changed: Partial<AdapterSummary>): AdapterSummary => ({
    version: 1,
    parent: 0,
    workspaceKey: 'w',
    model: 'M',
    createdAt: Date.UTC(2024, 0, 2, 3, 4),
    status: 'promoted',
    active: false,
    scale: 1,
    figures: {},
    ...changed,
  });
  const choices = adapterChoices({
    active: 2,
    adapters: [
      version({ version: 0, status: 'base', createdAt: 0 }),
      version({
        version: 1,
        figures: { 'served/judged': 40, 'served/accept_rate': 0.25, 'time/completion_ms_p50': 640.4 },
      }),
      version({
        ...{ version: 2, parent: 1, active: true, status: 'provisional', scale: 0.5 },
        figures: {
          ...{ 'gate/gain_per_token': 0.0421, 'gate/gain_lower': -0.01, 'gate/held_out': 12 },
          'gate/served_share': 0.5,
        },
      }),
      version({ version: 3, status: 'rolledBack' }),
      version({ version: 4, collected: true }),
    ],
  });

  it('put the one in service first and the base model last, and leave out what has no file', () => {
    assert.deepEqual(
      choices.map((choice) => choice.version),
      [2, 3, 1, 0],
    );
  });

  it('tell status, date and gate figures', () => {
    assert.deepEqual(choices[0], {
      version: 2,
      label: '$(check) Version 2',
      description: 'provisional, 2024-01-02 03:04, from version 1, scale 0.25, in service',
      detail: 'Gate: +0.042 nats a token (at least −0.010), 12 held-out places',
    });
    assert.equal(choices[1]!.description, 'rolled back, 2024-01-02 03:04');
    assert.equal(choices[2]!.detail, '25 % of 40 taken, 640 ms a suggestion');
    assert.equal(choices[3]!.label, '$(circle-outline) Base model, nothing learned');
  });
});

/** What must not be told stands in lines that are told. */
const LOG = [
  '[info] Hone activated in 40 ms; storage: /mnt/someone/hone/companion',
  "[error] Index: ENOENT: no such file, open '/srv/my customer/plan.ts'",
  "[warning] Can't read /srv/my customer/plan.ts.",
  "[warning] Can't read C:\\work\\my customer\\plan.ts.",
  "[warning] Can't read \\\\server\\my customer\\plan.ts.",
  "[warning] Can't read ~/my customer/plan.ts.",
  "[warning] Can't read file:///srv/customer/plan.ts.",
  '[error] Proxy http://customer:pw@gate.customer:3128 said no to Bearer customer-1234.',
  '[error] The key customerAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA is wrong.',
  '[info] http://127.0.0.1:4711 answers with and/or without it; /srv/customer/big.gguf serves.',
];

describe('what is kept of the log', () => {
  const told: string[] = [];
  const write = (message: string) => told.push(message);
  const log = new KeptLog({ debug: write, info: write, warn: write, error: write });

  it('is the first line of what was told last, debug left out; all of it is written', () => {
    for (let i = 0; i < 100; i++) log.info(`${i}\nmore`);
    log.debug('the text');
    log.warn('late');
    log.error('lost');
    assert.deepEqual(told.slice(-4), ['99\nmore', 'the text', 'late', 'lost']);
    assert.equal(log.lines.length, 40);
    assert.deepEqual(
      log.lines.slice(-3).map((line) => line.replace(/^\S+ /, '')),
      ['[info] 99', '[warning] late', '[error] lost'],
    );
  });
});

describe('an issue report', () => {
  const report = issueReport({
    version: '1.2.3',
    editor: 'Code 1.106.0',
    platform: 'linux x64',
    remote: '',
    home: '/home/someone',
    situation: {
      ...situation,
      companion: { kind: 'error', message: 'The folder /home/someone/data can’t be written.' },
    },
    settings: {
      'hone.completions.debounceMs': 100,
      'hone.companion.modelPath': '/home/someone/secret.gguf',
      'hone.completions.excludedFiles': ['customer/**'],
    },
    doctor:
      'ok      /mnt/someone/hone/companion can be written.\nproblem /srv/customer/big.gguf is damaged.\n',
    modelPath: '/srv/customer/big.gguf',
    folders: [['/mnt/someone/hone', '(the data folder)']],
    log: LOG,
  });

  it('says the state and the error', () => {
    for (const part of [
      'Hone: 1.2.3',
      'Error: The folder ~/data can’t be written.',
      'State: error',
      'debounceMs: 100',
      '    ok      (the data folder)/companion can be written.\n    problem (the chosen model) is damaged.\n',
      '[info] Hone activated in 40 ms; storage: (the data folder)/companion\n',
      '[error] Index: ENOENT: no such file, open (a path)\n',
      "[warning] Can't read (a path)\n",
      '[error] Proxy (an address) said no to Bearer (hidden)',
      '[error] The key (hidden) is wrong.\n',
      '[info] http://127.0.0.1:4711 answers with and/or without it; (the chosen model) serves.\n',
    ])
      assert.ok(report.includes(part), part);
  });

  it('names no home folder, no document, no token, no code, and of a setting with a path not its value', () => {
    assert.doesNotMatch(report, /someone|customer|plan\.ts/);
    assert.match(report, /hone\.companion\.modelPath: \(set\)/);
  });

  it('names no other machine', () => {
    const host = 'big-machine:8443';
    const remote = issueReport({
      ...{ version: '1', editor: 'e', platform: 'p', remote: '', home: '/home/big' },
      situation: {
        ...situation,
        remote: { host, warning: null },
        companion: { kind: 'error', message: `Nothing listens at ${host}.` },
      },
      settings: {
        'hone.companion.url': `https://${host}`,
        'hone.companion.headers': { Authorization: 'Bearer big-secret' },
        'hone.companion.certificateFile': '/home/big/machine.pem',
      },
      doctor: null,
      modelPath: '',
      folders: [],
      log: [`[error] Nothing listens at ${host}.`],
    });
    assert.doesNotMatch(remote, /big/);
    assert.match(remote, /run `hone doctor` there/);
    assert.match(remote, /Error: Nothing listens at \(another machine\)\./);
    assert.match(remote, /Companion: on another machine/);
  });
});

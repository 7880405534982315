import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Board,
  boardFolder,
  METRICS_FILE,
  TRAIN_LOG_FILE,
  workspaceFolder,
} from '../../../trainer/board/board.ts';
import { scalarRecord, versionRecord } from '../../../trainer/board/event.ts';
import type { RunRow } from '../../../trainer/store/types.ts';
import { quiet } from '../../fixtures/tinyEngine.ts';

const AT = 1_700_000_000_000;

describe('the board', () => {
  let dataDir: string;
  let folder: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-board-'));
    folder = join(boardFolder(dataDir), 'default');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const run = (change: Partial<RunRow> = {}): RunRow => ({
    id: 'run',
    at: AT,
    modelHash: 'm',
    workspaceKey: 'default',
    parent: 0,
    events: 4,
    decision: 'promoted',
    reason: 'Better.',
    version: 1,
    seconds: { train: 2 },
    figures: { 'losses/policy_loss': 0.25 },
    ...change,
  });
  const eventFiles = () => readdirSync(folder).filter((name) => name.includes('tfevents'));
  const read = (name: string) => readFileSync(join(folder, name));
  const scalars = { 'losses/policy_loss': 0.25, 'status/stored': 7, 'time/train': 2 };

  it('writes an update as scalars, as a line of JSON and as a line to read', () => {
    const board = new Board(dataDir, quiet);
    board.update(run(), { 'status/stored': 7 });
    board.update(run({ version: 2, at: AT + 1000 }), { 'status/stored': 7 });
    assert.deepEqual(eventFiles(), ['events.out.tfevents.1700000000.hone']);
    assert.deepEqual(
      read(eventFiles()[0]!),
      Buffer.concat([
        versionRecord(AT / 1000),
        scalarRecord(AT / 1000, 1, scalars),
        scalarRecord(AT / 1000 + 1, 2, scalars),
      ]),
    );
    const lines = read(METRICS_FILE).toString().trimEnd().split('\n');
    assert.equal(lines.length, 2);
    const line = JSON.parse(lines[1]!) as { step: number; decision: string; scalars: object };
    assert.deepEqual([line.step, line.decision, line.scalars], [2, 'promoted', scalars]);
    assert.equal(
      read(TRAIN_LOG_FILE).toString().split('\n')[0],
      '2023-11-14T22:13:20.000Z 4 events: promoted, version 1 from 0. Better.',
    );
  });

  it('makes no point of a curve of an update that failed', () => {
    new Board(dataDir, quiet).update(run({ decision: 'failed', version: null, reason: 'It died.' }), {});
    assert.deepEqual(readdirSync(folder).sort(), [METRICS_FILE, TRAIN_LOG_FILE]);
    assert.match(read(TRAIN_LOG_FILE).toString(), /4 events: failed\. It died\./);
  });

  it('begins a file of its own after a start, later than what a crash has torn', () => {
    new Board(dataDir, quiet).update(run(), {});
    const [torn] = eventFiles();
    truncateSync(join(folder, torn!), read(torn!).length - 5);
    // The clock was set back meanwhile.
    new Board(dataDir, quiet).update(run({ version: 2, at: AT - 60_000 }), {});
    assert.deepEqual(eventFiles().sort(), [torn, 'events.out.tfevents.1700000001.hone']);
    assert.equal(
      read(eventFiles().sort()[1]!).subarray(0, 40).toString('hex'),
      versionRecord((AT - 60_000) / 1000).toString('hex'),
    );
  });

  it('begins a new file when its own was deleted, and a new folder', () => {
    const board = new Board(dataDir, quiet);
    board.update(run(), {});
    rmSync(join(folder, eventFiles()[0]!));
    board.update(run({ version: 2 }), {});
    assert.equal(
      read(eventFiles()[0]!)
        .subarray(40)
        .compare(scalarRecord(AT / 1000, 2, { 'losses/policy_loss': 0.25, 'time/train': 2 })),
      0,
    );
    rmSync(folder, { recursive: true });
    board.update(run({ version: 3 }), {});
    assert.equal(eventFiles().length, 1);
  });

  // Linux has a file that is always full.
  const onFullDisk = existsSync('/dev/full') ? it : () => {};
  onFullDisk('is silent on a full disk and goes on in a new file', () => {
    const board = new Board(dataDir, quiet);
    board.update(run(), {});
    const [full] = eventFiles();
    rmSync(join(folder, full!));
    symlinkSync('/dev/full', join(folder, full!));
    board.update(run({ version: 2 }), {});
    assert.deepEqual(eventFiles(), [full], 'nothing half written is left');
    board.update(run({ version: 3 }), {});
    assert.equal(eventFiles().length, 2);
  });

  it('is silent where it may not write at all', () => {
    writeFileSync(boardFolder(dataDir), '');
    new Board(dataDir, quiet).update(run(), {});
    assert.equal(readFileSync(boardFolder(dataDir), 'utf8'), '');
  });

  it('puts a long file of lines aside', () => {
    const board = new Board(dataDir, quiet);
    board.say('default', 'first', AT);
    writeFileSync(join(folder, TRAIN_LOG_FILE), 'x'.repeat(8 * 1024 * 1024 + 1));
    board.say('default', 'second\nline', AT);
    assert.deepEqual(readdirSync(folder), [TRAIN_LOG_FILE, `${TRAIN_LOG_FILE}.1`]);
    assert.equal(read(TRAIN_LOG_FILE).toString(), '2023-11-14T22:13:20.000Z second line\n');
  });

  it('makes no folder before there is something to say, and deletes what is old', () => {
    const board = new Board(dataDir, quiet);
    board.prune(90);
    assert.deepEqual(readdirSync(dataDir), []);
    board.update(run(), {});
    board.update(run({ workspaceKey: 'other' }), {});
    for (const name of eventFiles()) utimesSync(join(folder, name), 1, 1);
    for (const name of readdirSync(join(boardFolder(dataDir), 'other')))
      utimesSync(join(boardFolder(dataDir), 'other', name), 1, 1);
    board.prune(90);
    assert.deepEqual(readdirSync(boardFolder(dataDir)), ['default']);
    assert.deepEqual(readdirSync(folder).sort(), [METRICS_FILE, TRAIN_LOG_FILE]);
    board.update(run({ version: 2 }), {});
    assert.equal(eventFiles().length, 1);
  });

  for (const [key, expected] of [
    ['default', /^default$/],
    ['3f9a-b_c', /^3f9a-b_c$/],
    ['../../etc', /^[0-9a-f]{16}$/],
    ['A/b', /^[0-9a-f]{16}$/],
    ['Default', /^[0-9a-f]{16}$/],
    ['', /^[0-9a-f]{16}$/],
    ['x'.repeat(65), /^[0-9a-f]{16}$/],
  ] as const)
    it(`names a folder for the key ${JSON.stringify(key.slice(0, 12))}`, () =>
      assert.match(workspaceFolder(key), expected));
});

import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../../fixtures/vscode/editor.ts';

const { Snooze } = await import('../../../extension/vscode/snooze.ts');

const MINUTE_MS = 60_000;

describe('a snooze of the window', () => {
  let snooze: InstanceType<typeof Snooze>;
  let told: string[];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    snooze = new Snooze();
    told = [];
    snooze.onChange(({ begins, ends }) => {
      told.push(`${begins ? 'begins' : ends ? 'ends' : 'goes on'}: ${snooze.rest}`);
    });
  });
  afterEach(() => {
    snooze.dispose();
    mock.timers.reset();
  });

  it('tells each minute that passes, and ends by itself', () => {
    snooze.begin(3);
    for (let minute = 0; minute < 4; minute++) mock.timers.tick(MINUTE_MS);
    assert.deepEqual(told, ['begins: 3', 'goes on: 2', 'goes on: 1', 'ends: null']);
  });

  it('lasts as long as the window where no time is set', () => {
    snooze.begin(null);
    mock.timers.tick(600 * MINUTE_MS);
    assert.equal(snooze.rest, 'restart');
    snooze.end();
    assert.deepEqual(told, ['begins: restart', 'ends: null']);
  });

  it('begins anew when it is chosen again', () => {
    snooze.begin(1);
    snooze.begin(30);
    mock.timers.tick(MINUTE_MS);
    assert.equal(snooze.rest, 29);
  });

  it('ends once', () => {
    snooze.begin(5);
    snooze.end();
    snooze.end();
    mock.timers.tick(10 * MINUTE_MS);
    assert.deepEqual(told, ['begins: 5', 'ends: null']);
  });
});

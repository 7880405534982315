import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleWatch } from '../../../trainer/server/shared/idle.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('idleness', () => {
  const realNow = Date.now;
  afterEach(() => (Date.now = realNow));

  it('is measured by a clock that nobody sets', async () => {
    let ended = false;
    const idle = new IdleWatch().idleFor(1).then(() => (ended = true));
    Date.now = () => realNow() + HOUR_MS;
    await sleep(400);
    assert.equal(ended, false, 'the clock was set, no second has passed');
    Date.now = () => realNow() - HOUR_MS;
    const alive = setInterval(() => {}, 100);
    await idle;
    clearInterval(alive);
  });
});

import assert from 'node:assert/strict';
import { freeCores } from '../../../trainer/inference/freeCores.ts';

describe('free cores', () => {
  it('are all when nothing else computes', () => {
    assert.equal(freeCores(0, 0, 500, 4), 4);
    assert.equal(freeCores(2000, 2000, 500, 4), 4);
  });

  it('are one less for every core that others keep busy', () => {
    assert.equal(freeCores(500, 0, 500, 4), 3);
    assert.equal(freeCores(1000, 0, 500, 4), 2);
    assert.equal(freeCores(700, 200, 500, 2), 1);
  });

  it('bear with a little of other work', () => {
    assert.equal(freeCores(100, 0, 500, 2), 2);
    assert.equal(freeCores(250, 0, 500, 2), 1);
  });

  it('are at least one', () => {
    assert.equal(freeCores(4000, 0, 500, 2), 1);
  });
});

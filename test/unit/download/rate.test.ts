import assert from 'node:assert/strict';
import { Rate } from '../../../extension/node/download/rate.ts';

const MB = 1e6;

describe('the time left of a download', () => {
  it('is not guessed from the first packets, nor without a size', () => {
    const rate = new Rate();
    assert.equal(rate.progress(0, 100 * MB, 0).secondsLeft, null);
    assert.equal(rate.progress(9 * MB, 100 * MB, 500).secondsLeft, null);
    assert.equal(rate.progress(20 * MB, null, 2000).secondsLeft, null);
  });

  it('is what is missing at the rate of the last seconds', () => {
    const rate = new Rate();
    rate.progress(0, 100 * MB, 0);
    assert.equal(rate.progress(20 * MB, 100 * MB, 2000).secondsLeft, 8);
    // Ten seconds at a tenth of the rate: what came before has been forgotten.
    for (let second = 3; second <= 14; second++)
      rate.progress((20 + second - 2) * MB, 100 * MB, second * 1000);
    assert.equal(rate.progress(33 * MB, 100 * MB, 15_000).secondsLeft, 67);
  });

  it('is not told while nothing comes', () => {
    const rate = new Rate();
    rate.progress(5 * MB, 100 * MB, 0);
    assert.equal(rate.progress(5 * MB, 100 * MB, 5000).secondsLeft, null);
  });

  it('counts from where a resumed download began', () => {
    const rate = new Rate();
    rate.progress(90 * MB, 100 * MB, 1000);
    assert.equal(rate.progress(95 * MB, 100 * MB, 6000).secondsLeft, 5);
  });
});

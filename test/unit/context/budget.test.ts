import assert from 'node:assert/strict';
import { ContextBudget } from '../../../extension/common/context/budget.ts';

describe('budget of context', () => {
  it('is what is read in a quarter of a second, by the median of the last prompts', () => {
    const budget = new ContextBudget();
    for (const ms of [200, 400, 100_000]) budget.read(200, ms);
    assert.equal(budget.tokensPerSecond, 500);
    assert.equal(budget.tokens, 125);
    for (let i = 0; i < 20; i++) budget.read(400, 200);
    assert.equal(budget.tokens, 500);
  });

  it('has a start and an upper limit', () => {
    const budget = new ContextBudget();
    assert.equal(budget.tokens, 112);
    budget.read(2000, 10);
    assert.equal(budget.tokens, 1024);
  });

  it('takes no notice of a prompt that was in the cache', () => {
    const budget = new ContextBudget();
    budget.read(5, 1);
    budget.read(500, 0);
    assert.equal(budget.tokensPerSecond, undefined);
  });
});

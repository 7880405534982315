import assert from 'node:assert/strict';
import { updateAlarms } from '../../../trainer/monitor/updateAlarms.ts';

describe('alarms about an update', () => {
  const cases: [string, Record<string, number>, RegExp[]][] = [
    ['no policy samples', {}, []],
    ['engines that agree', { 'rollout/engine_logprob_diff': 0.15 }, []],
    ['engines that differ', { 'rollout/engine_logprob_diff': 0.25 }, [/differ by 0\.250 nats a token/]],
    ['half of the samples', { 'rollout/effective_sample_share': 0.5, 'rollout/policy_samples': 16 }, []],
    [
      'few of the samples',
      { 'rollout/effective_sample_share': 0.2, 'rollout/policy_samples': 16 },
      [/Only 20 % of 16/],
    ],
    ['few of very few', { 'rollout/effective_sample_share': 0.4, 'rollout/policy_samples': 3 }, []],
  ];
  for (const [name, figures, expected] of cases)
    it(name, () => {
      const alarms = updateAlarms(figures);
      assert.equal(alarms.messages.length, expected.length);
      expected.forEach((pattern, i) => assert.match(alarms.messages[i]!, pattern));
      const raised = Object.values(alarms.figures).reduce((sum, flag) => sum + flag, 0);
      assert.equal(raised, expected.length);
    });
});

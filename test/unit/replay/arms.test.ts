import assert from 'node:assert/strict';
import { rewardOf } from '../../../extension/common/reward/reward.ts';
import { configSchema } from '../../../trainer/config/schema.ts';
import { UPDATE_DEFAULTS } from '../../../trainer/learning/config.ts';
import { ARM_NAMES, lockstepConfig, parseArms, parseSeeds } from '../../../trainer/replay/arms.ts';

const config = configSchema.parse({ training: { update: { learningRate: 0.002 } } });

describe('arms', () => {
  it('keep what the configuration says and change what they are about', () => {
    const { update } = lockstepConfig(config, 'correction', 3).training;
    assert.equal(update.learningRate, 0.002);
    assert.equal(update.policyWeight, 0);
    const ppo = lockstepConfig(config, 'ppo', 3).training.update;
    assert.deepEqual([ppo.correctionWeight, ppo.acceptedWeight, ppo.contextWeight], [0, 0, 0]);
    const both = lockstepConfig(config, 'both', 3).training.update;
    assert.equal(both.policyWeight, UPDATE_DEFAULTS.policyWeight);
    assert.equal(lockstepConfig(config, 'tapered', 3).training.update.policyObjective, 'tapered');
  });

  it("have the recipe's rule among them: 1 or 0, compared with nothing, held by nothing", () => {
    const { acceptThreshold, baseline, update } = lockstepConfig(config, 'rlinf', 3).training;
    assert.deepEqual([acceptThreshold, baseline, update.klWeight], [0, 'none', 0]);
    const facts = { evidence: 'event', shownChars: 8, shownMs: 5000, retained: 1 } as const;
    const rewards = [{ kind: 'accepted' }, { kind: 'rejected', how: 'escape' }, { kind: 'silent' }] as const;
    assert.deepEqual(
      rewards.map(
        (outcome) => rewardOf({ ...facts, outcome }, { acceptThreshold, observedWeight: 1 })!.reward + 0,
      ),
      [1, 0, 0],
    );
  });

  it('are valid configurations that never train by themselves and take the seed', () => {
    for (const arm of parseArms(ARM_NAMES)) {
      const made = configSchema.parse(JSON.parse(JSON.stringify(lockstepConfig(config, arm, 9))));
      assert.equal(made.training.seed, 9);
      assert.equal(made.training.batchEvents, 1024);
      assert.notEqual(made.training.update.weightType, 'auto');
    }
  });

  it('are read from a list', () => {
    assert.deepEqual(parseArms('base, both'), ['base', 'both']);
    assert.throws(() => parseArms('base,none'), /no arm "none"/);
    assert.deepEqual(parseSeeds('1, 20'), [1, 20]);
    for (const wrong of ['', '1,', 'a', '1.5']) assert.throws(() => parseSeeds(wrong), /no seed/);
  });
});

import type { UpdateConfig } from '../../extension/common/contracts/index.ts';
import type { Config } from '../config/schema.ts';

type Training = Config['training'];

/** Settings of the training that an arm has for itself. */
type ArmTraining = Partial<Omit<Training, 'update'>> & { update?: Partial<UpdateConfig> };

const POLICY_ALONE = { correctionWeight: 0, acceptedWeight: 0, contextWeight: 0, policyWeight: 1 };

/** What an arm learns from; the stream and the seeds are the same for all. */
const ARMS = {
  /** The frozen model. */
  base: {},
  /** What was typed instead and what was accepted, and the text typed in between. */
  correction: { update: { policyWeight: 0, klWeight: 0 } },
  /** Reward alone. */
  ppo: { update: POLICY_ALONE },
  /** Reward alone, with tapered negatives in the place of PPO. */
  tapered: { update: { ...POLICY_ALONE, policyObjective: 'tapered' } },
  /** Reward alone, half of it that of the editing episode. */
  episodes: { episodeWeight: 0.5, update: POLICY_ALONE },
  /** The recipe's rule: accepted 1 and rejected 0, compared with nothing, and nothing holds the model to its base. */
  rlinf: { acceptThreshold: 0, baseline: 'none', update: { ...POLICY_ALONE, klWeight: 0 } },
  /** The defaults. */
  both: {},
  /** The defaults, and general code taught again. */
  general: { generalShare: 0.25 },
} satisfies Record<string, ArmTraining>;

export type Arm = keyof typeof ARMS;

export const ARM_NAMES = Object.keys(ARMS).join(', ');

/** @throws Error that lists the known arms. */
export function parseArms(list: string): Arm[] {
  return list.split(',').map((name) => {
    const arm = name.trim();
    if (!(arm in ARMS)) throw new Error(`There is no arm "${arm}". Known: ${ARM_NAMES}.`);
    return arm as Arm;
  });
}

/** @throws Error when an entry is no whole number. */
export function parseSeeds(list: string): number[] {
  return list.split(',').map((text) => {
    const seed = Number(text.trim());
    if (text.trim() === '' || !Number.isSafeInteger(seed))
      throw new Error(`"${text}" is no seed: a whole number.`);
    return seed;
  });
}

/**
 * The companion's configuration in lockstep: it trains when it is asked to, never by itself, and the type of its
 * weights doesn't depend on how fast the computer happens to be.
 */
export function lockstepConfig(config: Config, arm: Arm, seed: number): Config {
  const NEVER_BY_ITSELF = 1024;
  const { training } = config;
  const { update, ...own }: ArmTraining = ARMS[arm];
  const { weightType } = training.update;
  return {
    ...config,
    training: {
      ...training,
      ...own,
      batchEvents: NEVER_BY_ITSELF,
      seed,
      update: {
        ...training.update,
        weightType: weightType === 'auto' ? 'bf16' : weightType,
        ...update,
      },
    },
  };
}

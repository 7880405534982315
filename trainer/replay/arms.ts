import type { UpdateConfig } from '../../extension/common/contracts/index.ts';
import type { Config } from '../config/schema.ts';

/** What an arm learns from; the stream and the seeds are the same for all. */
const ARMS = {
  /** The frozen model. */
  base: null,
  /** What was typed instead and what was accepted, and the text typed in between. */
  correction: { policyWeight: 0, klWeight: 0 },
  /** Reward alone. */
  ppo: { correctionWeight: 0, acceptedWeight: 0, contextWeight: 0, policyWeight: 1 },
  /** The defaults. */
  both: {},
} satisfies Record<string, Partial<UpdateConfig> | null>;

export type Arm = keyof typeof ARMS;

/** @throws Error that lists the known arms. */
export function parseArms(list: string): Arm[] {
  return list.split(',').map((name) => {
    const arm = name.trim();
    if (!(arm in ARMS)) throw new Error(`There is no arm "${arm}". Known: ${Object.keys(ARMS).join(', ')}.`);
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
  const { update } = training;
  return {
    ...config,
    training: {
      ...training,
      batchEvents: NEVER_BY_ITSELF,
      seed,
      update: {
        ...update,
        weightType: update.weightType === 'auto' ? 'bf16' : update.weightType,
        ...(ARMS[arm] ?? {}),
      },
    },
  };
}

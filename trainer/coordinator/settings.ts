import * as z from 'zod';
import { updateConfigSchema } from '../../extension/common/contracts/index.ts';
import { DEFAULT_ACCEPT_THRESHOLD, DEFAULT_OBSERVED_WEIGHT } from '../../extension/common/reward/reward.ts';
import { DEFAULT_GATE_LIMITS } from '../learning/gate.ts';

const limits = DEFAULT_GATE_LIMITS;

/** Everything about learning that a configuration file can set, under the key `training`. */
export const trainingSettingsSchema = z.strictObject({
  /** Eligible events that start an update. */
  batchEvents: z.int().min(1).max(1024).default(16),
  /** Most events of one update that was asked for. */
  maxStepEvents: z.int().min(1).max(4096).default(64),
  /** Acceptances count as kept at once, without the two minutes' wait. */
  acceptAtOnce: z.boolean().default(false),
  /** p*: chance of acceptance from which a suggestion is worth showing. */
  acceptThreshold: z.number().gt(0).lt(1).default(DEFAULT_ACCEPT_THRESHOLD),
  /** Weight of a rejection that was only observed through the stable API. */
  observedWeight: z.number().min(0).max(1).default(DEFAULT_OBSERVED_WEIGHT),
  /** Promoted versions after which a completion's policy term is dropped. */
  maxAdapterLag: z.int().nonnegative().default(4),
  /** Undecided events from which new ones are refused. */
  maxQueued: z.int().min(1).default(10_000),
  /** Tokens of a typed or accepted text that are learned from or scored. */
  maxTargetTokens: z.int().min(1).default(96),
  /** Tokens at the end of a prompt that can be learned from as the developer's own text. */
  maxContextTokens: z.int().nonnegative().default(256),
  /** Held-out events, newest first, that a gate scores; each costs one pass through the upper layers. */
  maxGateItems: z.int().min(1).default(64),
  /** Milliseconds without a word of the learner, pauses not counted, after which it is ended. */
  learnerSilenceMs: z.int().min(1).default(120_000),
  /** Bytes of lower-layer outputs that the learner keeps. */
  learnerCacheBytes: z
    .int()
    .nonnegative()
    .default(256 * 1024 * 1024),
  seed: z.int().default(1),
  /** Hyperparameters that differ from their defaults. */
  update: updateConfigSchema.partial().default({}),
  gate: z
    .strictObject({
      minHeldOut: z.int().nonnegative().default(limits.minHeldOut),
      quantile: z.number().nonnegative().default(limits.quantile),
      tolerance: z.number().nonnegative().default(limits.tolerance),
      maxGeneralLossRise: z.number().nonnegative().default(limits.maxGeneralLossRise),
      maxKl: z.number().nonnegative().default(limits.maxKl),
      maxSilentRise: z.number().nonnegative().default(limits.maxSilentRise),
      maxLengthFall: z.number().nonnegative().default(limits.maxLengthFall),
      maxRepetitionRise: z.number().nonnegative().default(limits.maxRepetitionRise),
    })
    .prefault({}),
});
export type TrainingSettings = z.infer<typeof trainingSettingsSchema>;

export const DEFAULT_TRAINING_SETTINGS: TrainingSettings = trainingSettingsSchema.parse({});

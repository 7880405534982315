import * as z from 'zod';
import { updateConfigSchema } from '../../extension/common/contracts/index.ts';
import { DEFAULT_ACCEPT_THRESHOLD, DEFAULT_OBSERVED_WEIGHT } from '../../extension/common/reward/reward.ts';
import { BASELINES } from '../learning/baseline.ts';
import { UPDATE_DEFAULTS } from '../learning/config.ts';
import { DEFAULT_GATE_LIMITS } from '../learning/gate.ts';

const LEARNER_CACHE_BYTES = 256 * 1024 * 1024;

const limits = DEFAULT_GATE_LIMITS;
const { firstLayer, endLayer, ...withDefault } = updateConfigSchema.shape;

/** Hyperparameters of an update, with the defaults of those that don't depend on the model. */
const updateSettingsSchema = z.strictObject({
  ...defaulted(withDefault, UPDATE_DEFAULTS),
  firstLayer: firstLayer
    .optional()
    .describe(
      `${firstLayer.description} Default: that of the adapter in service, or the first of the top third of the layers.`,
    ),
  endLayer,
});

/** Everything about learning that a configuration file can set, under the key `training`. */
export const trainingSettingsSchema = z.strictObject({
  onBattery: z
    .boolean()
    .default(false)
    .describe(
      'Learn on battery power too. Off: an update waits, and one under way rests, until the computer is plugged in; one that is asked for is made at once.',
    ),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe('Threads of the learner. Default: as many as completions have.'),
  batchEvents: z.int().min(1).max(1024).default(16).describe('Eligible events that start an update.'),
  maxStepEvents: z
    .int()
    .min(1)
    .max(4096)
    .default(64)
    .describe('Most events of one update that was asked for.'),
  acceptAtOnce: z
    .boolean()
    .default(false)
    .describe('Acceptances count as kept at once, without the two minutes’ wait.'),
  acceptThreshold: z
    .number()
    .min(0)
    .lt(1)
    .default(DEFAULT_ACCEPT_THRESHOLD)
    .describe(
      'p*: chance of acceptance from which a suggestion is worth showing. Accepted earns 1 − p*, rejected −p*; at 0 a rejection teaches the policy nothing.',
    ),
  adapters: z
    .enum(['shared', 'workspace'])
    .default('shared')
    .describe(
      'One adapter that all workspaces share, or one for each workspace, made from the shared one as it then is.',
    ),
  observedWeight: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_OBSERVED_WEIGHT)
    .describe('Weight of a rejection that was only observed through the stable editor interface.'),
  episodeWeight: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'Part of a suggestion’s reward that is its editing episode’s: what stays of all suggestions that followed one another at a place; 0: each for itself.',
    ),
  episodeDiscount: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('Discount of the episode’s reward for each suggestion that followed in it.'),
  baseline: z
    .enum(BASELINES)
    .default('acceptance')
    .describe(
      'What a reward is compared with: the chance of acceptance predicted for the place, the mean of the rewards before, or nothing.',
    ),
  generalShare: z
    .number()
    .min(0)
    .max(4)
    .default(0)
    .describe(
      'Places in general code that are taught again in an update, for each of its events, so that nothing else is unlearned; 0: none.',
    ),
  maxAdapterLag: z
    .int()
    .nonnegative()
    .default(4)
    .describe('Promoted versions after which the policy term of a completion is dropped.'),
  maxQueued: z.int().min(1).default(10_000).describe('Undecided events from which new ones are refused.'),
  maxTargetTokens: z
    .int()
    .min(1)
    .default(96)
    .describe('Tokens of a typed or accepted text that are learned from or scored.'),
  maxContextTokens: z
    .int()
    .nonnegative()
    .default(256)
    .describe('Tokens at the end of a prompt that can be learned from as the developer’s own text.'),
  maxGateItems: z
    .int()
    .min(1)
    .default(64)
    .describe(
      'Held-out events, newest first, that a gate scores; each costs one pass through the upper layers.',
    ),
  learnerSilenceMs: z
    .int()
    .min(1)
    .default(120_000)
    .describe('Milliseconds without a word of the learner, pauses not counted, after which it is ended.'),
  learnerCacheBytes: z
    .int()
    .nonnegative()
    .default(LEARNER_CACHE_BYTES)
    .describe('Bytes of lower-layer outputs that the learner keeps.'),
  seed: z.int().default(1).describe('Seed of everything random in an update.'),
  update: updateSettingsSchema.prefault({}).describe('Hyperparameters of an update.'),
  gate: z
    .strictObject({
      minHeldOut: z
        .int()
        .nonnegative()
        .default(limits.minHeldOut)
        .describe('Held-out events from which the lower bound decides.'),
      quantile: z
        .number()
        .nonnegative()
        .default(limits.quantile)
        .describe('One-sided confidence of the lower bound, as a normal quantile (1.645: 95 %).'),
      tolerance: z
        .number()
        .nonnegative()
        .default(limits.tolerance)
        .describe('Largest loss of the lower bound that still counts as “not worse”, nats a token.'),
      maxGeneralLossRise: z
        .number()
        .nonnegative()
        .default(limits.maxGeneralLossRise)
        .describe('General code: largest rise of the loss, nats a token.'),
      maxKl: z
        .number()
        .nonnegative()
        .default(limits.maxKl)
        .describe('General code: largest KL(candidate‖base), nats a token.'),
      maxSilentRise: z
        .number()
        .nonnegative()
        .default(limits.maxSilentRise)
        .describe('Largest rise of the share of held-out positions where the model ends at once.'),
      maxLengthFall: z
        .number()
        .nonnegative()
        .default(limits.maxLengthFall)
        .describe('Largest proven fall of the part of the typed text that is written before the model ends.'),
      maxRepetitionRise: z
        .number()
        .nonnegative()
        .default(limits.maxRepetitionRise)
        .describe('Largest proven rise of the share of tokens that repeat the one before.'),
    })
    .prefault({})
    .describe('What a candidate adapter must hold to be served.'),
});
export type TrainingSettings = z.infer<typeof trainingSettingsSchema>;

export const DEFAULT_TRAINING_SETTINGS: TrainingSettings = trainingSettingsSchema.parse({});

type Defaulted<Shape, Defaults extends { [Key in keyof Shape]: unknown }> = {
  [Key in keyof Shape]: Shape[Key] extends z.ZodType ? z.ZodDefault<Shape[Key]> : Defaults[Key];
};

/** Each field of `shape` with the default of the same name. */
function defaulted<Shape extends z.ZodRawShape, Defaults extends { [Key in keyof Shape]: unknown }>(
  shape: Shape,
  defaults: Defaults,
): Defaulted<Shape, Defaults> {
  return Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [key, (field as z.ZodType).default(defaults[key])]),
  ) as Defaulted<Shape, Defaults>;
}

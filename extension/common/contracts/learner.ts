/**
 * Messages between the companion and the learner process: one JSON object a line on standard input and output.
 * The learner knows neither the store nor the services; it gets token ids and file names, and answers numbers.
 */
import * as z from 'zod';

const tokens = z.array(z.int().nonnegative());

/** Hyperparameters of one update; every field has its default in trainer/learning/config.ts. */
export const updateConfigSchema = z.object({
  rank: z.int().min(1).max(256).describe('LoRA rank r.'),
  alpha: z.number().positive().describe('LoRA scale numerator α: the update is (α / r)·B·A.'),
  servedShare: z
    .number()
    .gt(0)
    .max(1)
    .describe(
      'λ: part of what was trained that is served unless another is proven better on held-out events; an adapter file has this share of α.',
    ),
  servedShares: z
    .array(z.number().min(0).max(1))
    .describe(
      'Parts that may be served instead; 0 is the base, 1 all that was trained. An empty list serves servedShare always.',
    ),
  targets: z
    .array(z.enum(['q', 'k', 'v', 'o', 'gate', 'up', 'down']))
    .min(1)
    .describe('Linear layers that carry LoRA.'),
  firstLayer: z
    .int()
    .nonnegative()
    .describe('First layer (from 0) with LoRA; layers below it are constant and computed once per event.'),
  endLayer: z
    .int()
    .positive()
    .optional()
    .describe('One past the last layer with LoRA; absent: up to the last.'),
  learningRate: z.number().nonnegative().describe('Learning rate of AdamW at the first step.'),
  decaySteps: z
    .number()
    .nonnegative()
    .describe(
      'The learning rate falls as 1 / √(1 + steps / decaySteps) over the life of an adapter, to a fifth; 0: it stays.',
    ),
  beta1: z.number().describe('AdamW: decay of the first moment.'),
  beta2: z.number().describe('AdamW: decay of the second moment.'),
  epsilon: z.number().describe('AdamW: added to the root of the second moment.'),
  weightDecay: z.number().nonnegative().describe('AdamW: decoupled weight decay.'),
  maxGradNorm: z.number().positive().describe('Largest norm of the gradient over all LoRA matrices.'),
  epochs: z.int().positive().describe('Passes over the events of an update.'),
  miniBatch: z.int().positive().describe('Samples per optimizer step.'),
  correctionWeight: z
    .number()
    .nonnegative()
    .describe('Weight of the cross-entropy on what was typed instead; 0 switches the term off.'),
  acceptedWeight: z
    .number()
    .nonnegative()
    .describe('Weight of the cross-entropy on accepted text that stayed; 0 switches the term off.'),
  generalWeight: z
    .number()
    .nonnegative()
    .describe(
      'Weight of the cross-entropy on general code that is taught again beside the events; 0 switches the term off.',
    ),
  contextWeight: z
    .number()
    .nonnegative()
    .describe(
      'Weight of the cross-entropy on text of the prompt that was typed since the last event there; 0 switches the term off.',
    ),
  policyObjective: z
    .enum(['ppo', 'tapered'])
    .describe(
      'Policy gradient: `ppo`, clipped by token, or `tapered`: praise at weight 1, blame at π/μ of the completion, 1 at most.',
    ),
  policyWeight: z.number().nonnegative().describe('Weight of the policy gradient; 0 switches the term off.'),
  klWeight: z
    .number()
    .nonnegative()
    .describe(
      'β: weight of the k3 estimate of KL(policy‖base) on the samples of the policy; 0 switches the term off.',
    ),
  clipLow: z
    .number()
    .positive()
    .describe('PPO: the probability ratio of a token is clipped below 1 − clipLow.'),
  clipHigh: z
    .number()
    .positive()
    .describe('PPO: the probability ratio of a token is clipped above 1 + clipHigh.'),
  targetKl: z
    .number()
    .positive()
    .describe(
      'An epoch stops when the mean approximate KL to the policy that sampled exceeds this, in nats a token.',
    ),
  weightType: z
    .enum(['auto', 'f32', 'bf16', 'f16'])
    .describe('Type of the weights in memory; auto: the fastest in a short measurement at start.'),
});
export type UpdateConfig = z.infer<typeof updateConfigSchema>;

/** A sampled completion and how it is praised or blamed. */
const policySchema = z.object({
  /** Generated ids as sampled, end token included when the model ended by itself. */
  tokens: tokens.min(1),
  /** How many of them, from the first, carry the reward. */
  rewarded: z.int().positive(),
  /** reward − baseline; in a group, the reward normalised within it. */
  advantage: z.number(),
  weight: z.number().nonnegative(),
  temperature: z.number().positive(),
  /** Version of the adapter that served. */
  adapterVersion: z.int().nonnegative(),
  /** λ at which it served. */
  adapterScale: z.number(),
  /** The engine's own log-probabilities, as a check. */
  engineLogprobs: z.array(z.number()).optional(),
});
export type PolicySample = z.infer<typeof policySchema>;

/** A prompt with one completion and what became of it, or with a group of completions, as token ids. */
const sampleSchema = z.object({
  eventId: z.string(),
  prompt: tokens.min(1),
  /** Policy-gradient term; absent for events that are no policy sample. */
  policy: policySchema.optional(),
  /** Several completions of the prompt, which is evaluated once for all of them. */
  group: z.array(policySchema).min(1).optional(),
  /**
   * Supervised term: what was typed instead (`correction`), the accepted text (`accepted`), or what stands in general
   * code (`general`), end token included.
   */
  supervised: z
    .object({
      source: z.enum(['correction', 'accepted', 'general']),
      tokens: tokens.min(1),
      weight: z.number().nonnegative(),
    })
    .optional(),
  /** Prompt tokens [from, to), by spans, that are the developer's own text and were not taught before. */
  context: z
    .object({
      spans: z.array(z.tuple([z.int().positive(), z.int().positive()])).min(1),
      weight: z.number().nonnegative(),
    })
    .optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** A text to score: log-probability of `target` after `prompt`. */
const scoreItemSchema = z.object({
  id: z.string(),
  prompt: tokens.min(1),
  target: tokens.min(1),
});
export type ScoreItem = z.infer<typeof scoreItemSchema>;

const scoreSchema = z.object({
  id: z.string(),
  /** Sum over the target's tokens, nats. */
  logprob: z.number(),
  tokens: z.int(),
  /** Every target token is the most likely one, and what follows ends the line. */
  exact: z.boolean(),
  /** Most likely first token ends the completion at once. */
  silent: z.boolean(),
  /** Target tokens before the first place where the most likely token ends the completion. */
  length: z.int(),
  /** Target tokens at which the most likely token repeats the one before it. */
  repeated: z.int(),
  /** Exact KL(adapter‖base) per target token, nats; 0 for the base itself. */
  kl: z.number(),
});
export type Score = z.infer<typeof scoreSchema>;

const adapterRefSchema = z.object({
  version: z.int().nonnegative(),
  /** Null: the base model. */
  path: z.string().nullable(),
  /** λ at which the adapter is served. */
  scale: z.number(),
});
export type AdapterRef = z.infer<typeof adapterRefSchema>;

/** The model itself, without an adapter. */
export const BASE_ADAPTER: Readonly<AdapterRef> = Object.freeze({ version: 0, path: null, scale: 1 });

export const learnerRequestSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('init'),
    modelPath: z.string(),
    gpu: z.enum(['auto', 'cpu', 'cuda', 'vulkan', 'metal']),
    threads: z.int().positive(),
    firstLayer: z.int().nonnegative(),
    weightType: z.enum(['auto', 'f32', 'bf16', 'f16']),
    /** Ids after which a completion is over: end-of-generation tokens and tokens that begin with a newline. */
    endTokens: tokens,
    /** Bytes of lower-layer outputs kept in memory. */
    cacheBytes: z.int().nonnegative(),
    /** File in which the base model's part of a gate is kept for the next learner; absent: nowhere. */
    keptPath: z.string().optional(),
  }),
  z.object({
    type: z.literal('update'),
    id: z.string(),
    samples: z.array(sampleSchema).min(1),
    parent: adapterRefSchema,
    /** Adapters that served samples of this batch, parent included. */
    adapters: z.array(adapterRefSchema),
    /** Where the candidate is written, whole or not at all. */
    candidatePath: z.string(),
    candidateVersion: z.int().positive(),
    heldOut: z.array(scoreItemSchema),
    general: z.array(scoreItemSchema),
    config: updateConfigSchema,
    seed: z.int(),
  }),
  z.object({
    type: z.literal('score'),
    id: z.string(),
    items: z.array(scoreItemSchema),
    adapter: adapterRefSchema,
  }),
  /** Raised while a completion is in flight: the learner stops between graphs of at most 50 ms. */
  z.object({ type: z.literal('pause') }),
  z.object({ type: z.literal('resume') }),
  z.object({ type: z.literal('shutdown') }),
]);
export type LearnerRequest = z.infer<typeof learnerRequestSchema>;

export const learnerReplySchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    backend: z.string(),
    weightType: z.string(),
    architecture: z.string(),
    layers: z.int(),
  }),
  z.object({
    type: z.literal('progress'),
    id: z.string(),
    phase: z.enum(['lower', 'reference', 'train', 'gate']),
    done: z.int(),
    total: z.int(),
  }),
  z.object({
    type: z.literal('updated'),
    id: z.string(),
    /** Named as in TensorBoard, for example losses/policy_loss. */
    figures: z.record(z.string(), z.number()),
    seconds: z.record(z.string(), z.number()),
    gate: z.object({
      running: z.array(scoreSchema),
      candidate: z.array(scoreSchema),
      generalBase: z.array(scoreSchema),
      generalCandidate: z.array(scoreSchema),
      /** Less of what was trained is served than usual, because that is proven better. */
      reduced: z.boolean().optional(),
    }),
  }),
  z.object({ type: z.literal('scores'), id: z.string(), scores: z.array(scoreSchema) }),
  z.object({ type: z.literal('error'), id: z.string().nullable(), code: z.string(), message: z.string() }),
]);
export type LearnerReply = z.infer<typeof learnerReplySchema>;

/** Everything about a judged run that a configuration file can set, under the key `judge`. */
import * as z from 'zod';
import { updateConfigSchema, type UpdateConfig } from '../../extension/common/contracts/index.ts';
import { pathField } from '../config/path.ts';
import { defaultUpdateConfig } from '../learning/config.ts';
import { JUDGE_KINDS } from './judge.ts';

const paths = z.array(pathField()).default([]);
const share = z.number().min(0).max(1);

const dataSchema = z.strictObject({
  trainPaths: paths.describe('Files that are trained on: JSON lines with `prompt` and `solutions`.'),
  validationPaths: paths.describe('Files that are validated on and never trained on.'),
  maxTrainItems: z
    .int()
    .min(1)
    .optional()
    .describe('Lines that are trained on, from the first; absent: all.'),
  maxValidationItems: z
    .int()
    .min(1)
    .optional()
    .describe('Lines that are validated on, from the first; absent: all.'),
  allowLeakage: z
    .boolean()
    .default(false)
    .describe('Go on although validation prompts are in the training files too, with a warning.'),
  leakageBound: share
    .default(0.8)
    .describe('Jaccard index of two prompts, in shingles of five words, from which they count as the same.'),
});

const rolloutSchema = z.strictObject({
  groupSize: z.int().min(2).max(64).default(8).describe('G: completions that are sampled of a prompt.'),
  promptsPerStep: z.int().min(1).max(1024).default(8).describe('Prompts of one step.'),
  temperature: z.number().gt(0).max(5).default(1).describe('Sampling temperature of the groups.'),
  maxTokens: z.int().min(1).max(1024).default(48).describe('Longest completion, in tokens.'),
  stop: z
    .array(z.string().min(1))
    .max(16)
    .default([])
    .describe('Texts that end a completion, beside its own end.'),
  validationSamples: z
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe(
      'Completions of a validation prompt, drawn at `temperature`; its score is their mean. 0: one, the likeliest.',
    ),
});

const rewardSchema = z.strictObject({
  judge: z
    .enum(JUDGE_KINDS)
    .default('exact')
    .describe('Who rewards: `exact` match, edit `similarity`, or a language model behind a `chat` server.'),
  validationJudge: z
    .enum(['auto', ...JUDGE_KINDS])
    .default('auto')
    .describe('Who validates beside it; `auto`: `similarity`, and `exact` where similarity rewards.'),
  url: z.url().optional().describe('Address of the chat server; absent: LLMASJUDGE_API_URL.'),
  model: z.string().min(1).optional().describe("The chat server's model; absent: LLMASJUDGE_MODEL."),
  concurrency: z.int().min(1).max(256).default(4).describe('Questions to the chat server at a time.'),
  timeoutMs: z.int().min(1).default(30_000).describe('Milliseconds after which an answer is given up.'),
  attempts: z.int().min(1).max(20).default(5).describe('Times that a question is asked, the first included.'),
  backoffMs: z
    .int()
    .min(0)
    .default(500)
    .describe('Milliseconds before the second attempt, doubled for each further one.'),
  maxBackoffMs: z.int().min(0).default(30_000).describe('Longest pause between attempts, in milliseconds.'),
  maxRetryAfterMs: z
    .int()
    .min(0)
    .default(120_000)
    .describe(
      'Longest pause that the server can ask for with Retry-After; one that asks for more is not asked again.',
    ),
  maxAnswerTokens: z
    .int()
    .min(1)
    .default(64)
    .describe('Longest answer of the judge; a model that thinks aloud needs more.'),
  maxLostShare: share.default(0.1).describe('Share of lost verdicts above which the run ends with an error.'),
});

const scheduleSchema = z.strictObject({
  epochs: z.number().positive().default(1).describe('Passes over the training data.'),
  maxSteps: z
    .int()
    .min(-1)
    .default(-1)
    .describe('Most steps, whatever the epochs; −1: no such limit, 0: validate and train nothing.'),
  validateEvery: z
    .int()
    .min(-1)
    .default(10)
    .describe(
      'Steps between two validations; before the first and after the last there always is one, −1: no other.',
    ),
  saveEvery: z
    .int()
    .min(-1)
    .default(10)
    .describe('Steps between two checkpoints that stay, beside the last two; −1: no other stays.'),
});

const defaults = defaultUpdateConfig(1);
const { shape } = updateConfigSchema;

const updateSchema = z.strictObject({
  rank: shape.rank.default(defaults.rank).describe('LoRA rank r.'),
  alpha: shape.alpha.default(defaults.alpha).describe('Scale numerator α: the update is (α / r)·B·A.'),
  targets: shape.targets.default(defaults.targets).describe('Linear layers that carry LoRA.'),
  firstLayer: shape.firstLayer
    .optional()
    .describe('First layer with LoRA, from 0; absent: that of the top third.'),
  endLayer: shape.endLayer.describe('One past the last layer with LoRA; absent: up to the last.'),
  learningRate: shape.learningRate.default(5e-4).describe('Learning rate of AdamW.'),
  decaySteps: shape.decaySteps
    .default(0)
    .describe('The learning rate falls as 1 / √(1 + steps / decaySteps), to a fifth; 0: it stays.'),
  beta1: shape.beta1.default(defaults.beta1).describe('AdamW: decay of the first moment.'),
  beta2: shape.beta2.default(defaults.beta2).describe('AdamW: decay of the second moment.'),
  epsilon: shape.epsilon.default(defaults.epsilon).describe('AdamW: ε.'),
  weightDecay: shape.weightDecay.default(defaults.weightDecay).describe('AdamW: decoupled weight decay.'),
  maxGradNorm: shape.maxGradNorm.default(defaults.maxGradNorm).describe('Largest norm of the gradient.'),
  epochs: shape.epochs.default(1).describe('Passes over the groups of one step.'),
  miniBatch: shape.miniBatch.default(4).describe('Groups of one optimizer step.'),
  klWeight: shape.klWeight.default(0.04).describe('β: weight of the k3 estimate of KL(policy‖base).'),
  clipLow: shape.clipLow.default(defaults.clipLow).describe('The ratio is clipped at 1 − clipLow.'),
  clipHigh: shape.clipHigh.default(defaults.clipHigh).describe('The ratio is clipped at 1 + clipHigh.'),
  targetKl: shape.targetKl
    .default(defaults.targetKl)
    .describe(
      'A step ends early when the policy has moved this far from the one that sampled, in nats a token.',
    ),
  weightType: shape.weightType
    .default('bf16')
    .describe('Type of the weights on the way back; `auto` takes the fastest, and runs may then differ.'),
});

/** The section `judge` of a configuration. `hone judge` can't do without a folder and data; all else has its default. */
export const judgeConfigSchema = z.strictObject({
  outputDir: pathField()
    .optional()
    .describe('Folder of the log, the curves and the checkpoints; one for each run.'),
  seed: z.int().default(1).describe('Of everything random: order, sampling, first weights, intervals.'),
  data: dataSchema.prefault({}),
  rollout: rolloutSchema.prefault({}),
  reward: rewardSchema.prefault({}),
  schedule: scheduleSchema.prefault({}),
  update: updateSchema.prefault({}),
});
export type JudgeConfig = z.infer<typeof judgeConfigSchema>;

/** Hyperparameters of the learner's updates: the policy term alone, and all of what was trained is served. */
export function updateConfigOf({ update }: JudgeConfig, layers: number): UpdateConfig {
  const { firstLayer, endLayer, ...rest } = update;
  return {
    ...defaultUpdateConfig(layers),
    ...rest,
    ...(firstLayer === undefined ? {} : { firstLayer }),
    ...(endLayer === undefined ? {} : { endLayer }),
    servedShare: 1,
    servedShares: [],
    correctionWeight: 0,
    acceptedWeight: 0,
    generalWeight: 0,
    contextWeight: 0,
    policyWeight: 1,
  };
}

/** The run: groups of completions, a judge's rewards, updates of the adapter, and validation on other data. */
import type { LearnerProcess } from '../coordinator/learnerProcess.ts';
import type { Engine } from '../inference/types.ts';
import type { PairedInterval } from '../replay/statistics.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Checkpoints, RunState } from './checkpoint.ts';
import { updateConfigOf, type JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';
import type { Judge, JudgeKind } from './judge.ts';
import { cursorAfter, isEvery, itemsOfStep, plannedSteps } from './plan.ts';
import { STEP_TIME_TAG, type RunFolder } from './runFolder.ts';
import { noGroups, prepareStep, type GroupCounts, type StepMaterial } from './step.ts';
import { compareValidations, meanScore, validate, type Validation } from './validation.ts';
import { lossesOf, lossReasons, noVerdicts, type VerdictCounts } from './verdict.ts';

export interface JudgeRunParts {
  config: JudgeConfig;
  training: readonly JudgeItem[];
  validation: readonly JudgeItem[];
  engine: Engine;
  /** Started, with the model loaded. */
  learner: Pick<LearnerProcess, 'update'>;
  /** The one that rewards first; all of them validate. */
  judges: readonly [Judge, ...Judge[]];
  folder: RunFolder;
  checkpoints: Checkpoints;
  listener: JudgeListener;
}

export interface JudgeListener {
  /** The run's size in prompts, and how many of them an earlier start of it has done. */
  onStart(total: number, done: number): void;
  /** Prompts, or shares of them, that are done. */
  onProgress(prompts: number, what: string): void;
  /** A sentence about what just ended. */
  say(text: string): void;
}

export interface JudgeResult {
  steps: number;
  /** Steps that an earlier start of the run had made. */
  resumedFrom: number;
  /** File of the last adapter; null when nothing was learned. */
  adapter: string | null;
  /** Before and after by judge; null where no verdict was left to compare. */
  validation: Partial<Record<JudgeKind, PairedInterval | null>>;
  /** Mean scores of every validation. */
  curve: { step: number; scores: Partial<Record<JudgeKind, number>> }[];
  groups: GroupCounts;
  /** Of the training's completions, and of the validations' by judge, all validations together. */
  verdicts: { training: VerdictCounts; validation: Validation['verdicts'][] };
}

/** A sample is read three times: drawn, computed for reference, trained on. As shares of its progress. */
const SAMPLING_SHARE = 0.6;

/**
 * Makes what is left of the run and compares the validations before the first step and after the last. Everything
 * follows from the configuration, the data, the model and the verdicts: a run that was killed comes to the same.
 *
 * @throws HoneError `verdicts_lost` when more verdicts are lost than allowed, and what the judges, the engine and the
 *   learner throw. What was done by then stays, and the next start goes on from there.
 */
export async function runJudge(parts: JudgeRunParts): Promise<JudgeResult> {
  const { config, training, validation, engine, checkpoints, folder, listener } = parts;
  let state = checkpoints.latest() ?? firstState(parts);
  const resumedFrom = state.step;
  // A run that went further with another length is not taken back.
  const steps = Math.max(resumedFrom, plannedSteps(config, training.length));
  const isDue = (step: number): boolean =>
    step === 0 || step === steps || isEvery(step, config.schedule.validateEvery);
  const dueSteps = Array.from({ length: steps + 1 }, (_, step) => step).filter(isDue);
  const validated = dueSteps.filter((step) => folder.validation(step) !== null).length;
  listener.onStart(
    steps * config.rollout.promptsPerStep + dueSteps.length * validation.length,
    resumedFrom * config.rollout.promptsPerStep + validated * validation.length,
  );
  if (resumedFrom > 0) {
    listener.say(`Going on after step ${resumedFrom} of ${steps}.`);
    // It may have been killed between the checkpoint and the curves.
    if (!folder.hasFigures(resumedFrom)) folder.figures(resumedFrom, state.scalars);
  }

  await engine.useAdapter(checkpoints.adapterOf(state));
  if (isDue(state.step)) await validateOnce(parts, state.step);
  while (state.step < steps) {
    state = await makeStep(parts, state, steps);
    if (isDue(state.step)) await validateOnce(parts, state.step);
  }
  return resultOf(parts, state, dueSteps, resumedFrom);
}

function firstState({ config }: JudgeRunParts): RunState {
  return {
    v: 1,
    step: 0,
    adapter: false,
    random: { seed: config.seed, step: 0 },
    cursor: { epoch: 0, item: 0 },
    verdicts: noVerdicts(),
    groups: noGroups(),
    scalars: {},
    config,
  };
}

async function makeStep(parts: JudgeRunParts, before: RunState, steps: number): Promise<RunState> {
  const { config, training, engine, judges, folder, checkpoints, listener } = parts;
  const step = before.step + 1;
  const started = performance.now();
  const verdicts = structuredClone(before.verdicts);
  const items = itemsOfStep(training, before.cursor, config);
  const material = await prepareStep(items, step, { engine, judge: judges[0], config }, verdicts, () =>
    listener.onProgress(SAMPLING_SHARE, `step ${step}, sampling`),
  );
  refuseLosses(verdicts, config, judges[0].kind);
  const sampledAt = performance.now();
  const figures = await learn(parts, before, step, material);
  const state: RunState = {
    v: 1,
    step,
    adapter: before.adapter || material.samples.length > 0,
    random: { seed: config.seed, step },
    cursor: cursorAfter(step, training.length, config),
    verdicts,
    groups: addGroups(before.groups, material.groups),
    scalars: {
      ...figures,
      ...materialFigures(material),
      'rollout/verdicts_lost': lossesOf(verdicts).lost - lossesOf(before.verdicts).lost,
      'time/sample': (sampledAt - started) / 1000,
      [STEP_TIME_TAG]: (performance.now() - started) / 1000,
    },
    config,
  };
  checkpoints.complete(state);
  await engine.useAdapter(checkpoints.adapterOf(state));
  checkpoints.prune(step, config.schedule.saveEvery);
  folder.figures(step, state.scalars);
  const sentence = stepSentence(state, steps, material);
  folder.say(sentence);
  listener.say(sentence);
  return state;
}

/** Updates the adapter, or takes the one before over where no group teaches anything. */
async function learn(
  { config, engine, learner, checkpoints, listener }: JudgeRunParts,
  before: RunState,
  step: number,
  { samples }: StepMaterial,
): Promise<Record<string, number>> {
  const { promptsPerStep } = config.rollout;
  const parent = checkpoints.adapterOf(before);
  const candidatePath = checkpoints.begin(step);
  let told = 0;
  const tell = (share: number): void => {
    listener.onProgress((1 - SAMPLING_SHARE) * promptsPerStep * (share - told), `step ${step}, learning`);
    told = share;
  };
  try {
    if (samples.length === 0) {
      checkpoints.carryOver(parent, step);
      return {};
    }
    const request = {
      type: 'update' as const,
      id: `step ${step}`,
      samples,
      parent,
      adapters: [parent],
      candidatePath,
      candidateVersion: step,
      heldOut: [],
      general: [],
      config: updateConfigOf(config, engine.model.layers),
      seed: config.seed + step,
    };
    const { figures } = await learner.update(request, ({ phase, done, total }) => {
      if (phase === 'train') tell(done / total);
    });
    // Whole by definition here: nothing else can be served.
    const { 'gate/served_share': _, ...rest } = figures;
    return rest;
  } finally {
    tell(1);
  }
}

/** The validation of a step, unless an earlier start of the run has made it. */
async function validateOnce(parts: JudgeRunParts, step: number): Promise<void> {
  const { config, engine, judges, folder, listener } = parts;
  if (folder.validation(step) !== null) return;
  const result = await validate(parts.validation, step, { engine, judges, config }, () =>
    listener.onProgress(1, `validation after step ${step}`),
  );
  for (const { kind } of judges) refuseLosses(result.verdicts[kind]!, config, kind);
  folder.keepValidation(result);
  const scores = judges.map(({ kind }) => [kind, meanScore(result.scores[kind]!)] as const);
  const length = result.lengths.reduce((sum, chars) => sum + chars, 0) / result.lengths.length;
  folder.figures(step, {
    ...Object.fromEntries(scores.map(([kind, score]) => [`validation/${kind}`, score])),
    'validation/completion_chars_mean': length,
  });
  const told = scores.map(([kind, score]) => `${kind} ${score.toFixed(4)}`).join(', ');
  const sentence = `Validation after step ${step}: ${told}, on ${parts.validation.length} prompts.`;
  folder.say(sentence);
  listener.say(sentence);
}

/** @throws HoneError `verdicts_lost` */
function refuseLosses(counts: VerdictCounts, { reward }: JudgeConfig, kind: JudgeKind): void {
  const { lost, asked } = lossesOf(counts);
  if (lost <= reward.maxLostShare * asked) return;
  throw new HoneError(
    'verdicts_lost',
    `${lost} of ${asked} verdicts of the ${kind} judge were lost (${lossReasons(counts)}), more than the share of ` +
      `${reward.maxLostShare} that is allowed. None was replaced by a score. Correct the judge, or raise ` +
      'judge.reward.maxLostShare; the same command then goes on where the run ended.',
  );
}

function addGroups(a: GroupCounts, b: GroupCounts): GroupCounts {
  return {
    sampled: a.sampled + b.sampled,
    zeroVariance: a.zeroVariance + b.zeroVariance,
    tooFewVerdicts: a.tooFewVerdicts + b.tooFewVerdicts,
  };
}

function materialFigures(material: StepMaterial): Record<string, number> {
  const { groups, rewardSum, rewarded, tokens, completions } = material;
  return {
    ...(rewarded > 0 ? { 'rollout/reward_mean': rewardSum / rewarded } : {}),
    'rollout/completion_length_mean': tokens / completions,
    'rollout/groups': groups.sampled,
    'rollout/groups_zero_variance': groups.zeroVariance,
    'rollout/groups_too_few_verdicts': groups.tooFewVerdicts,
  };
}

function stepSentence({ step, scalars }: RunState, steps: number, { samples, groups }: StepMaterial): string {
  const reward = scalars['rollout/reward_mean'];
  const kl = scalars['losses/kl_to_base'];
  const figures = [
    `reward ${reward === undefined ? 'unknown' : reward.toFixed(4)}`,
    `${samples.length} of ${groups.sampled} groups teach`,
    ...(kl === undefined ? [] : [`KL to the base ${kl.toFixed(4)}`]),
    `${scalars[STEP_TIME_TAG]!.toFixed(1)} s`,
  ];
  return `Step ${step} of ${steps}: ${figures.join(', ')}.`;
}

function resultOf(
  { config, judges, folder, checkpoints }: JudgeRunParts,
  state: RunState,
  dueSteps: readonly number[],
  resumedFrom: number,
): JudgeResult {
  const all = dueSteps.map((step) => folder.validation(step)!);
  const [before, after] = [all[0]!, all.at(-1)!];
  const kinds = judges.map(({ kind }) => kind);
  const byKind = <T>(value: (kind: JudgeKind) => T): Partial<Record<JudgeKind, T>> =>
    Object.fromEntries(kinds.map((kind) => [kind, value(kind)]));
  return {
    steps: state.step,
    resumedFrom,
    adapter: checkpoints.adapterOf(state).path,
    validation: byKind((kind) => compareValidations(before, after, kind, config.seed)),
    curve: all.map(({ step, scores }) => ({ step, scores: byKind((kind) => meanScore(scores[kind]!)) })),
    groups: state.groups,
    verdicts: { training: state.verdicts, validation: all.map(({ verdicts }) => verdicts) },
  };
}

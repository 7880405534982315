import { DISPLAY_SHARE } from '../../extension/common/display/decision.ts';
import {
  FEATURE_VERSION,
  featuresAfter,
  featuresBefore,
  USUAL_ACCEPTANCE,
  type HistoryFacts,
} from '../../extension/common/display/features.ts';
import { labelOf } from '../../extension/common/display/label.ts';
import {
  chanceOf,
  learnLabel,
  priorPredictor,
  type Predictor,
} from '../../extension/common/display/predictor.ts';
import { AFTER_PRIORS, BEFORE_PRIORS } from '../../extension/common/display/priors.ts';
import { takeApartFim } from '../../extension/common/prompt/fimParse.ts';
import type { Logger } from '../server/shared/logging.ts';
import type { Store } from '../store/store.ts';
import type { StoredPrediction } from '../store/types.ts';

/** Newest outcomes that are learned from; more tell little new, and the developer changes. */
const LEARNED_OUTCOMES = 1000;
/** Newest judged suggestions whose average is a feature, and how many usual ones count beside them. */
const RECENT_OUTCOMES = 20;
const PRIOR_OUTCOMES = 5;

const ALL_PRIORS = { ...BEFORE_PRIORS, ...AFTER_PRIORS };

/** One completion, as far as the predictor is concerned. */
export interface PredictionAsk {
  /** As the model read it, markers in their spelling. */
  promptText: string;
  language: string;
  workspaceKey: string;
  /** When it was asked for by the client's clock, milliseconds since the epoch; undefined: not told. */
  askedAt: number | undefined;
  text: string;
  /** Of the generated tokens at temperature 1, nats. */
  logprobs: number[];
  finished: boolean;
}

interface AcceptanceParts {
  store: Pick<Store, 'judged' | 'served'>;
  modelHash: string;
  rules: { acceptThreshold: number; observedWeight: number };
  logger: Logger;
}

interface Label {
  worth: number;
  workspaceKey: string;
}

/** What was learned, and the history that features are taken from. */
interface Learned {
  event: number;
  before: Predictor;
  after: Predictor;
  lastAt: number | null;
  labels: Label[];
}

/**
 * Predicts whether a suggestion will be taken. Its weights are a function of the stored outcomes: they are learned anew
 * from the prior and the newest outcomes when some have arrived, so that a later fact or another rule counts for the
 * whole history, and what is deleted leaves nothing behind. The same outcomes give the same weights.
 */
export class AcceptanceModel {
  readonly #parts: AcceptanceParts;
  #learned: Learned | null = null;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /** Least chance that is worth showing. */
  get threshold(): number {
    return this.#parts.rules.acceptThreshold * DISPLAY_SHARE;
  }

  /** Outcomes were deleted: nothing of them may go on. */
  forget(): void {
    this.#learned = null;
  }

  /** Chances before and, where something was written, after generating, with the features they are computed from. */
  predict(ask: PredictionAsk): StoredPrediction {
    const { before, after, ...past } = this.#current();
    const document = takeApartFim(ask.promptText)?.document;
    const { prefix = ask.promptText, suffix = '' } = document ?? {};
    const place = { prefix, suffix, language: ask.language };
    const features = featuresBefore(place, historyOf(past, ask));
    const chance = chanceOf(before, features);
    if (ask.text.trim() === '') return { v: FEATURE_VERSION, before: chance, x: features };
    const x = [...features, ...featuresAfter(ask, place)];
    return { v: FEATURE_VERSION, before: chance, after: chanceOf(after, x), x };
  }

  #current(): Learned {
    const { store, modelHash, logger } = this.#parts;
    try {
      const event = store.served.lastEvent();
      if (this.#learned?.event !== event)
        this.#learned = this.#learn(store.judged.newest(modelHash, LEARNED_OUTCOMES), event);
    } catch (error) {
      logger.warn({ err: error }, 'The outcomes could not be read; chances are predicted as before.');
    }
    return this.#learned ?? this.#learn([], -1);
  }

  #learn(outcomes: ReturnType<Store['judged']['newest']>, event: number): Learned {
    let before = priorPredictor(BEFORE_PRIORS);
    let after = priorPredictor(ALL_PRIORS);
    const labels: Label[] = [];
    const beforeCount = Object.keys(BEFORE_PRIORS).length;
    for (const outcome of outcomes) {
      const label = labelOf(outcome, this.#parts.rules);
      if (label === null) continue;
      labels.push({ worth: label.worth, workspaceKey: outcome.workspaceKey });
      const { v, x, after: predicted } = outcome.prediction;
      if (v !== FEATURE_VERSION) continue;
      before = learnLabel(before, x.slice(0, beforeCount), label.worth, label.weight);
      if (predicted !== undefined) after = learnLabel(after, x, label.worth, label.weight);
    }
    return { event, before, after, lastAt: outcomes.at(-1)?.at ?? null, labels };
  }
}

function historyOf(
  { lastAt, labels }: Pick<Learned, 'lastAt' | 'labels'>,
  { askedAt, workspaceKey }: PredictionAsk,
): HistoryFacts {
  return {
    seconds: lastAt === null || askedAt === undefined ? null : (askedAt - lastAt) / 1000,
    previous: labels.at(-1)?.worth ?? null,
    recent: recentOf(labels),
    recentWorkspace: recentOf(labels.filter((label) => label.workspaceKey === workspaceKey)),
  };
}

function recentOf(labels: readonly Label[]): number {
  const newest = labels.slice(-RECENT_OUTCOMES);
  const sum = newest.reduce((total, { worth }) => total + worth, 0);
  return (sum + PRIOR_OUTCOMES * USUAL_ACCEPTANCE) / (newest.length + PRIOR_OUTCOMES);
}

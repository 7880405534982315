import type { Score } from '../../extension/common/contracts/index.ts';

/** What a candidate must hold; nats and fractions. */
interface GateLimits {
  /** Held-out events from which the lower bound decides. */
  minHeldOut: number;
  /** One-sided confidence of the lower bound, as a normal quantile (1.645: 95 %). */
  quantile: number;
  /** Largest loss of the lower bound that still counts as "not worse", nats a token. */
  tolerance: number;
  /** General code: largest rise of the loss, nats a token. */
  maxGeneralLossRise: number;
  /**
   * General code: largest KL(candidate‖base) a token. The developer's own text has no such limit, because a large
   * difference there is what an idiom is.
   */
  maxKl: number;
  /** Largest rise of the share of held-out positions where the model ends at once. */
  maxSilentRise: number;
  /** Largest proven fall of the part of the typed text that is written before the model ends. */
  maxLengthFall: number;
  /** Largest proven rise of the share of tokens that repeat the one before. */
  maxRepetitionRise: number;
}

/** Held-out events below which length and repetition prove nothing: a few alike have no spread. */
const LEAST_SHAPE_EVENTS = 8;

export const DEFAULT_GATE_LIMITS: GateLimits = {
  minHeldOut: 40,
  quantile: 1.645,
  tolerance: 0.01,
  maxGeneralLossRise: 0.02,
  maxKl: 0.1,
  maxSilentRise: 0.1,
  maxLengthFall: 0.1,
  maxRepetitionRise: 0.1,
};

interface GateInput {
  /** Scores of the same items, in the same order. */
  running: Score[];
  candidate: Score[];
  generalBase: Score[];
  generalCandidate: Score[];
  /** Less of what was trained is served than usual, because that is proven better. */
  reduced?: boolean | undefined;
}

export interface GateDecision {
  decision: 'promoted' | 'provisional' | 'rejected';
  /** One sentence that names the deciding number. */
  reason: string;
  figures: Record<string, number>;
}

/**
 * Decides about a candidate adapter from one teacher-forced pass: the paired difference in log-probability a
 * token of what the developer really typed, and limits that hold whatever it gained.
 *
 * @throws RangeError when the scores are not of the same items.
 */
export function decideGate(input: GateInput, limits: GateLimits = DEFAULT_GATE_LIMITS): GateDecision {
  const gain = pairedGain(input.running, input.candidate);
  const general = pairedGain(input.generalBase, input.generalCandidate);
  const kl = meanKl(input.generalCandidate);
  const silentRise = silentShare(input.candidate) - silentShare(input.running);
  const length = pairedGain(counting(input.running, 'length'), counting(input.candidate, 'length'));
  const repeated = pairedGain(counting(input.running, 'repeated'), counting(input.candidate, 'repeated'));
  const figures = {
    'gate/held_out': input.candidate.length,
    'gate/gain_per_token': gain.mean,
    'gate/gain_lower': gain.mean - limits.quantile * gain.standardError,
    'gate/exact_running': exactShare(input.running),
    'gate/exact_candidate': exactShare(input.candidate),
    'gate/general_loss_rise': -general.mean,
    'gate/kl_general': kl,
    'gate/kl_held_out': meanKl(input.candidate),
    'gate/silent_running': silentShare(input.running),
    'gate/silent_candidate': silentShare(input.candidate),
    'gate/length_running': perToken(input.running, 'length'),
    'gate/length_candidate': perToken(input.candidate, 'length'),
    'gate/repetition_running': perToken(input.running, 'repeated'),
    'gate/repetition_candidate': perToken(input.candidate, 'repeated'),
  };
  const reject = (reason: string): GateDecision => ({ decision: 'rejected', reason, figures });
  const say = (value: number): string => value.toFixed(4);

  if (!Object.values(figures).every(Number.isFinite))
    return reject('A figure of the candidate is not a number.');
  if (-general.mean > limits.maxGeneralLossRise)
    return reject(
      `Loss on general code rose by ${say(-general.mean)} nats a token (limit ${limits.maxGeneralLossRise}).`,
    );
  if (kl > limits.maxKl)
    return reject(`KL to the base on general code is ${say(kl)} nats a token (limit ${limits.maxKl}).`);
  if (silentRise > limits.maxSilentRise)
    return reject(`Silent share rose by ${say(silentRise)} (limit ${limits.maxSilentRise}).`);
  const shapeTells = input.candidate.length >= LEAST_SHAPE_EVENTS;
  if (shapeTells && -length.mean - limits.quantile * length.standardError > limits.maxLengthFall)
    return reject(
      `It ends earlier: ${say(-length.mean)} less of the typed text is written (limit ${limits.maxLengthFall}).`,
    );
  if (shapeTells && repeated.mean - limits.quantile * repeated.standardError > limits.maxRepetitionRise)
    return reject(
      `It repeats itself: at ${say(repeated.mean)} more of the tokens (limit ${limits.maxRepetitionRise}).`,
    );

  const lower = figures['gate/gain_lower'];
  // Turned down far enough, whatever was trained is not worse than the base; only what is better may go on from it.
  if (input.reduced && !(lower > 0))
    return reject(
      `Less of what was trained is better than the usual part, and not proven better than what is in service: ${say(lower)} nats a token.`,
    );
  if (input.candidate.length >= limits.minHeldOut) {
    return lower >= -limits.tolerance
      ? { decision: 'promoted', reason: `Lower bound of the gain is ${say(lower)} nats a token.`, figures }
      : reject(`Lower bound of the gain is ${say(lower)} nats a token (limit ${-limits.tolerance}).`);
  }
  // With few events chance decides the sign of a small gain, so only a proven loss is held against it.
  return gain.mean + limits.quantile * gain.standardError >= 0
    ? {
        decision: 'provisional',
        reason: `Gain ${say(gain.mean)} nats a token on ${input.candidate.length} held-out events, too few to prove it.`,
        figures,
      }
    : reject(
        `Gain is ${say(gain.mean)} nats a token on ${input.candidate.length} held-out events, more than chance.`,
      );
}

/**
 * Ratio estimate Σd / Σn of the gain a token, with the standard error of a ratio over items (delta method), so
 * that a long item does not count as many independent ones. Zero for no items.
 */
export function pairedGain(before: Score[], after: Score[]): { mean: number; standardError: number } {
  if (before.length !== after.length) throw new RangeError('Scores of different items cannot be compared.');
  const n = after.length;
  if (n === 0) return { mean: 0, standardError: 0 };
  const differences = after.map((score, i) => {
    const other = before[i]!;
    if (other.id !== score.id || other.tokens !== score.tokens)
      throw new RangeError(`Scores of different items cannot be compared: ${other.id} and ${score.id}.`);
    return score.logprob - other.logprob;
  });
  const tokens = after.reduce((sum, score) => sum + score.tokens, 0);
  const mean = differences.reduce((sum, d) => sum + d, 0) / tokens;
  if (n === 1) return { mean, standardError: Number.MAX_VALUE / 4 };
  const residuals = differences.reduce((sum, d, i) => sum + (d - mean * after[i]!.tokens) ** 2, 0);
  return { mean, standardError: Math.sqrt((n / (n - 1)) * residuals) / tokens };
}

/** The scores with a count of tokens in the place of the log-probability, to be compared in the same way. */
function counting(scores: Score[], name: 'length' | 'repeated'): Score[] {
  return scores.map((score) => ({ ...score, logprob: score[name] }));
}

function perToken(scores: Score[], name: 'length' | 'repeated'): number {
  const tokens = scores.reduce((sum, score) => sum + score.tokens, 0);
  return tokens === 0 ? 0 : scores.reduce((sum, score) => sum + score[name], 0) / tokens;
}

function meanKl(scores: Score[]): number {
  const tokens = scores.reduce((sum, score) => sum + score.tokens, 0);
  return tokens === 0 ? 0 : scores.reduce((sum, score) => sum + score.kl * score.tokens, 0) / tokens;
}

function share(scores: Score[], holds: (score: Score) => boolean): number {
  return scores.length === 0 ? 0 : scores.filter(holds).length / scores.length;
}

const exactShare = (scores: Score[]): number => share(scores, (score) => score.exact);
const silentShare = (scores: Score[]): number => share(scores, (score) => score.silent);

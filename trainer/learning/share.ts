import type { Score } from '../../extension/common/contracts/index.ts';
import { DEFAULT_GATE_LIMITS, pairedGain } from './gate.ts';

/** With fewer held-out events a standard error says nothing. */
const LEAST_EVENTS = 4;
/** Going back towards the base takes back what was learned: a few events alike must not do that. */
const LEAST_EVENTS_BACK = 8;
/** Held-out events that are scored for the choice: an idiom shows on these, and each costs a pass for each share. */
const MOST_EVENTS = 16;
/** Where these show no gain, the others are not scored. */
const FIRST_LOOK_EVENTS = 8;

interface ChosenShare {
  share: number;
  /** Gain a token over the share that is served without a proof, nats, of each other one that was scored. */
  gains: Map<number, number>;
}

/**
 * Which part λ of what was trained is served. Adam's steps are of one length whatever part of a small batch's gradient
 * is noise; half way back to the base half of the signal is left and a quarter of the noise's harm (interpolation of
 * weights, Wortsman et al. 2022, arXiv 2109.01903). So `start` is served unless held-out events prove another share
 * better: all of it, as after a house idiom that the developer keeps to, or less of it, where what was trained does
 * harm; 0 is the base. Towards either side one test is made, of the first step that way: log-probabilities are nearly
 * concave in λ, so if anything on that side is better, the step is. It is given up early where the first events show
 * no gain, which makes no proof easier. Only where it is passed the other shares on that side are scored, and the best
 * on average is taken.
 *
 * @param shares that may be served
 * @param events held-out ones that could be scored
 * @param score of the first `count` of them, in the same order, under a share
 */
export async function chooseShare(
  start: number,
  shares: readonly number[],
  events: number,
  score: (share: number, count: number) => Promise<Score[]>,
): Promise<ChosenShare> {
  const most = Math.min(events, MOST_EVENTS);
  const ascending = [...new Set(shares)].sort((a, b) => a - b);
  const up = ascending.filter((share) => share > start);
  const back = ascending.filter((share) => share < start).reverse();
  const chosen: ChosenShare = { share: start, gains: new Map() };
  if (up.length + back.length === 0) return chosen;
  const gainAt = async (share: number, count: number): Promise<ReturnType<typeof pairedGain>> =>
    pairedGain(await score(start, count), await score(share, count));
  for (const [side, least] of [
    [up, LEAST_EVENTS],
    [back, LEAST_EVENTS_BACK],
  ] as const) {
    if (side.length === 0 || most < least) continue;
    let first = await gainAt(side[0]!, Math.min(most, FIRST_LOOK_EVENTS));
    if (first.mean > 0) first = await gainAt(side[0]!, most);
    chosen.gains.set(side[0]!, first.mean);
    if (first.mean - DEFAULT_GATE_LIMITS.quantile * first.standardError <= 0) continue;
    for (const share of side.slice(1)) chosen.gains.set(share, (await gainAt(share, most)).mean);
    const best = side.reduce((a, b) => (chosen.gains.get(b)! > chosen.gains.get(a)! ? b : a));
    return { ...chosen, share: best };
  }
  return chosen;
}

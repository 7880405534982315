/**
 * `npm run bench:display -- FOLDER …`: what the display filter is worth, on the data folders of replays with the arm
 * `base` (`hone replay CODE --arms base --data-dir DIR`; the folder is `DIR/base-SEED`). The predictor learns as it
 * goes, so every suggestion is held out when it is predicted; thresholds are the best in hindsight.
 */
import { parseArgs } from 'node:util';
import { DISPLAY_SHARE } from '../../../extension/common/display/decision.ts';
import { meanOfRewards } from '../../../trainer/learning/baseline.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import { percent, signed, table } from '../../../trainer/replay/table.ts';
import { readJudged, type Judged } from './recorded.ts';

const RULES = { acceptThreshold: 0.25, observedWeight: 0.5 };
/** Of the characters that stay without a filter. */
const KEPT_SHARES = [0.99, 0.975, 0.95, 0.9];
const COMPARED_SHARE = 0.95;
const RESAMPLES = 1000;

type Order = (one: Judged) => number;
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const THRESHOLDS: Record<string, Order> = {
  'mean log-probability': ({ logprobs }) => sum(logprobs) / logprobs.length,
  'least log-probability': ({ logprobs }) => Math.min(...logprobs),
  "first token's log-probability": ({ logprobs }) => logprobs[0]!,
  'sum of log-probabilities': ({ logprobs }) => sum(logprobs),
};
const PREDICTOR: Order = ({ chance }) => chance;

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length === 0)
  throw new Error('Name the data folders of replays: npm run bench:display -- DIR/base-1');
const all = positionals.map((folder) => ({ folder, rows: readJudged(folder, RULES) }));
for (const { folder, rows } of all) report(folder, rows);
if (all.length > 1)
  report(
    'All of them',
    all.flatMap(({ rows }) => rows),
  );

function report(folder: string, rows: Judged[]): void {
  const orders = { predictor: PREDICTOR, 'prior alone': ({ untaught }: Judged) => untaught, ...THRESHOLDS };
  const lines = Object.entries(orders).map(([name, order]) => [
    name,
    ...KEPT_SHARES.map((kept) => String(wrongAt(rows, order, kept))),
  ]);
  console.log(`\n${folder}: ${rows.length} judged, ${rows.filter(isWrong).length} worth less than p*.\n`);
  console.log('Wrong suggestions shown, where so much of the kept characters stays:\n');
  console.log(table([['', ...KEPT_SHARES.map(percent)], ...lines]));
  for (const [name, order] of Object.entries(THRESHOLDS))
    console.log(`\nAt ${percent(COMPARED_SHARE)}, against the ${name}: ${intervalOf(rows, order)}`);
  console.log(`\n${filterLine(rows)}\n${baselineLine(rows)}`);
}

/** Wrong suggestions that are shown when just enough is, in the given order. */
function wrongAt(rows: readonly Judged[], order: Order, keptShare: number): number {
  const enough = keptShare * sum(rows.map((one) => one.keptChars));
  let kept = 0;
  let wrong = 0;
  for (const one of rows.toSorted((a, b) => order(b) - order(a))) {
    if (kept >= enough) break;
    kept += one.keptChars;
    if (isWrong(one)) wrong++;
  }
  return wrong;
}

/** Wrong ones more by the predictor, and the 95 % interval over suggestions drawn anew. */
function intervalOf(rows: readonly Judged[], order: Order): string {
  const random = keyedRandom(1, 'bootstrap');
  const more = (sample: readonly Judged[]): number =>
    wrongAt(sample, PREDICTOR, COMPARED_SHARE) - wrongAt(sample, order, COMPARED_SHARE);
  const draws = Array.from({ length: RESAMPLES }, () =>
    more(rows.map(() => rows[random.below(rows.length)]!)),
  );
  const [low, high] = [quantile(draws, 0.025), quantile(draws, 0.975)];
  return `${signed(more(rows), 0)} wrong ones (${signed(low, 0)} … ${signed(high, 0)})`;
}

/** What the filter does at its own threshold. */
function filterLine(rows: readonly Judged[]): string {
  const hidden = rows.filter((one) => one.chance < RULES.acceptThreshold * DISPLAY_SHARE);
  const share = (part: readonly Judged[], of: readonly Judged[]): string =>
    `${part.length} of ${of.length} (${percent(part.length / of.length)})`;
  const right = (list: readonly Judged[]): Judged[] => list.filter((one) => !isWrong(one));
  const wrong = share(hidden.filter(isWrong), rows.filter(isWrong));
  return `The filter hides ${share(hidden, rows)}: ${wrong} of the wrong, ${share(right(hidden), right(rows))} of the others.`;
}

/** What each baseline leaves of the rewards, as a weighted mean square. */
function baselineLine(rows: readonly Judged[]): string {
  const reward = (one: Judged): number => one.worth - RULES.acceptThreshold;
  const running = rows.map((_, i) => meanOfRewards(rows.slice(0, i).map(reward), '').mean);
  const left = (baseline: (one: Judged, i: number) => number): string => {
    const squares = rows.map((one, i) => one.weight * (reward(one) - baseline(one, i)) ** 2);
    return (sum(squares) / sum(rows.map(({ weight }) => weight))).toFixed(4);
  };
  const predicted = left(({ before }) => before - RULES.acceptThreshold);
  return `Mean square of advantages: ${predicted} with the predicted baseline, ${left((_, i) => running[i]!)} with the running mean.`;
}

function isWrong(one: Judged): boolean {
  return one.worth < RULES.acceptThreshold;
}

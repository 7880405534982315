/** The result of a judged run, for people. */
import { signed, table } from '../replay/table.ts';
import type { SessionResult } from './session.ts';
import { lossesOf, lossReasons, type VerdictCounts } from './verdict.ts';

const DIGITS = 4;

/** Before and after, groups, verdicts, and where things lie. */
export function describeJudged(result: SessionResult): string {
  const { validation, groups, verdicts, adapter, outputDir, steps, resumedFrom } = result;
  const rows = Object.entries(validation).map(([kind, interval]) =>
    interval === null
      ? [kind, 'no prompt has a verdict before and after', '', '', '']
      : [
          kind,
          interval.before.toFixed(DIGITS),
          interval.after.toFixed(DIGITS),
          signed(interval.difference, DIGITS),
          `${signed(interval.low, DIGITS)} … ${signed(interval.high, DIGITS)}`,
        ],
  );
  const resumed = resumedFrom > 0 ? ` (${resumedFrom} of them made by earlier starts)` : '';
  return [
    table([['judge', 'before', 'after', 'change', '95 % interval over prompts'], ...rows]),
    '',
    `${steps} steps${resumed}. Groups: ${groups.sampled} sampled, ${groups.zeroVariance} with equal rewards, ` +
      `${groups.tooFewVerdicts} with too few verdicts.`,
    `Verdicts in training: ${describeCounts(verdicts.training)}.`,
    adapter === null ? 'Nothing was learned: no group told anything apart.' : `Adapter: ${adapter}`,
    `Curves: tensorboard --logdir ${outputDir}`,
  ].join('\n');
}

function describeCounts(counts: VerdictCounts): string {
  const { lost } = lossesOf(counts);
  const why = lost > 0 ? ` (${lossReasons(counts)})` : '';
  return `${counts.scored} scored, ${counts.cached} of them from the cache, ${lost} lost${why}`;
}

/** Why nothing is learned, told from what is stored and what the companion says. */
import type { DatabaseContents } from '../store/inspect.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

export interface LearningFacts extends DatabaseContents {
  /** False: it trains only when asked to. */
  enabled: boolean;
  /** The user wants no update until further notice. */
  pausedByUser: boolean;
  /** Eligible events that start an update. */
  batchEvents: number;
  /** Null: no companion runs, or it was not asked. */
  companion: {
    /** Why it can't train; null: it can. */
    trouble: string | null;
    /** Why it waits with what there is to learn, with what to do; null: it doesn't. */
    pause: string | null;
    /** Settled and eligible. */
    queued: number;
    /** Waiting for a later fact. */
    open: number;
  } | null;
}

const CHECK = 'learning';
/** From this share on, too few completions are left that the policy term can use. */
const MOSTLY = 0.9;
/** Refused updates in a row that are worth a word. */
const MANY_REFUSED = 3;

/** What stands in the way, most telling first; one `ok` when nothing does. */
export function learningFindings(facts: LearningFacts): Finding[] {
  const { companion, runs } = facts;
  const findings: Finding[] = [];
  if (companion !== null && companion.trouble !== null)
    findings.push(
      problem(
        CHECK,
        `The companion can't train: ${companion.trouble}`,
        'Its log has the details ("Hone: Show Log", or what `hone serve` writes to standard error).',
      ),
    );
  if (runs[0]?.decision === 'failed')
    findings.push(
      problem(
        CHECK,
        `The last update failed: ${runs[0].reason}`,
        'Its events are kept: `hone train` tries again and shows what happens.',
      ),
    );
  if (companion !== null && companion.pause !== null)
    findings.push({ check: CHECK, status: 'warning', text: companion.pause });
  if (facts.pausedByUser)
    findings.push(
      warning(
        CHECK,
        'Learning is paused by hand, until it is resumed: feedback is stored meanwhile.',
        '"Hone: Resume Learning" in the editor.',
      ),
    );
  if (!facts.enabled && !facts.pausedByUser)
    findings.push(
      warning(
        CHECK,
        'Training by itself is switched off: feedback is stored and nothing is learned from it.',
        'Start `hone serve` without --no-train and without `training.enabled: false`, or ask for updates with `hone train`.',
      ),
    );
  findings.push(...arrivals(facts));
  if (runs.length >= MANY_REFUSED && runs.every(({ decision }) => decision === 'rejected'))
    findings.push(
      warning(
        CHECK,
        `The last ${runs.length} updates were refused by the gate: ${runs[0]!.reason}`,
        'They would have done worse on your own held-out code. It goes on by itself; `hone adapters list` has the figures.',
      ),
    );
  return findings.length === 0 ? [ok(CHECK, summary(facts))] : findings;
}

/** What there is to learn from. */
function arrivals(facts: LearningFacts): Finding[] {
  const { completions, greedy, heldOut, undecided, trained } = facts;
  const dropped = Object.values(facts.dropped).reduce((sum, count) => sum + count, 0);
  const told = heldOut + undecided + trained + dropped;
  if (completions + told === 0)
    return [
      warning(
        CHECK,
        'Nothing has been recorded yet.',
        'Is tracking on (hone.tracking.enabled, not snoozed, workspace trusted), and does the client ask this companion? `hone client` sends completions and feedback of its own.',
      ),
    ];
  if (told === 0)
    return [
      warning(
        CHECK,
        `${completions} completions are recorded and no feedback about them.`,
        'The client has to send what became of them to POST /api/training/submit on the feedback port, with its token; `hone client` shows how.',
      ),
    ];
  const findings: Finding[] = [];
  if (completions > 0 && greedy >= MOSTLY * completions)
    findings.push(
      warning(
        CHECK,
        `${greedy} of ${completions} completions were asked for at temperature 0: rewards can't teach about them, only corrections can.`,
        'Leave the temperature to Hone (`inference.temperature`, hone.completions.temperature), or set one above 0 in the client.',
      ),
    );
  if (trained === 0) findings.push(notYet(facts, told, dropped));
  return findings;
}

/** Feedback has come and no update was made. */
function notYet(facts: LearningFacts, told: number, dropped: number): Finding {
  const { heldOut, undecided, batchEvents, companion } = facts;
  if (heldOut === told)
    return warning(
      CHECK,
      `All ${told} outcomes are held out: they lie at places that are kept apart to measure on, a fifth of all.`,
      'Nothing is wrong; go on at other places.',
    );
  if (undecided === 0)
    return warning(
      CHECK,
      `Nothing could be learned from ${dropped} of ${told} outcomes (${reasons(facts)}), and none is left.`,
      'Suggestions that are passed over unseen teach nothing; accepting, rejecting and typing something else does.',
    );
  const waiting =
    companion === null
      ? `${undecided} outcomes wait`
      : `${companion.queued} outcomes are settled and ${companion.open} wait for what is typed next (up to two minutes)`;
  return warning(
    CHECK,
    `Too few settled events for the first update: ${waiting}; it begins at ${batchEvents}.`,
    'Go on, or settle what is open and train now with `hone train` ("Hone: Train Now").',
  );
}

function summary({ trained, undecided, heldOut, runs, dropped }: LearningFacts): string {
  const last = runs[0] === undefined ? '' : ` Last update: ${runs[0].decision}. ${runs[0].reason}`;
  const lost = Object.keys(dropped).length === 0 ? '' : `, ${reasons({ dropped })} left out`;
  return `${trained} outcomes were learned from, ${undecided} wait, ${heldOut} are held out${lost}.${last}`;
}

function reasons({ dropped }: Pick<DatabaseContents, 'dropped'>): string {
  return Object.entries(dropped)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

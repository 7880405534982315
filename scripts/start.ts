/**
 * `npm start`: the whole loop on a real code base, in a few minutes. A simulated developer types the fixture
 * against the embedded model; its feedback is stored, adapters are trained, gated and swapped in; and the model is
 * compared before and after on files that were never typed.
 *
 * `npm start -- --events 400` types more; `--folder`, `--model` and `--gpu` put something else in the place of the
 * fixture, the embedded model and the best back end.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { boardFolder } from '../trainer/board/board.ts';
import { embeddedModelPath, parsePositive } from '../trainer/cli/options.ts';
import { configSchema } from '../trainer/config/schema.ts';
import {
  fixedPositions,
  runArm,
  type ArmResult,
  type ExperimentOptions,
  type Phase,
} from '../trainer/replay/experiment.ts';
import { readSourceFiles, splitFiles } from '../trainer/replay/files.ts';
import { probeLatency } from '../trainer/replay/probe.ts';
import { ReplayProgress } from '../trainer/replay/progress.ts';
import { beforeAfterTable, latencyRow, reportJson, updatesTable } from '../trainer/replay/report.ts';
import { percent, table } from '../trainer/replay/table.ts';
import { noContext } from '../trainer/replay/workspace.ts';
import { createLogger } from '../trainer/server/shared/logging.ts';

const FIXTURE = join(import.meta.dirname, '..', 'trainer', 'replay', 'fixture', 'code');
const SEED = 1;
/** Chosen so that all of it takes less than ten minutes on two cores. */
const EVENTS = 96;
const BATCH_EVENTS = 16;
const POSITIONS_PER_FILE = 12;
const SERVED_PER_FILE = 2;
/** The update during which completions are asked for, to see what the learner costs them. */
const PROBED_UPDATE = 2;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: String(EVENTS) },
    folder: { type: 'string', default: FIXTURE },
    model: { type: 'string', default: embeddedModelPath() },
    gpu: { type: 'string', default: 'auto' },
  },
});
const folder = resolve(values.folder);
const events = parsePositive(values.events);
const startedAt = performance.now();
const split = splitFiles(await readSourceFiles(folder));
const dataDir = mkdtempSync(join(tmpdir(), 'hone-start-'));
const options: ExperimentOptions = {
  split,
  events,
  batchEvents: BATCH_EVENTS,
  positionsPerFile: POSITIONS_PER_FILE,
  servedPerFile: SERVED_PER_FILE,
  modelPath: resolve(values.model),
  gpu: values.gpu as ExperimentOptions['gpu'],
  dataDir,
  config: configSchema.parse({}),
  context: noContext,
  displayFilter: false,
  taughtPlaces: 0,
  logger: createLogger('warn'),
};
const positions = fixedPositions(options);

say(`Hone: a model that learns from what you accept, reject and type instead.

A simulated developer now types ${split.streamed.length} files of a real code base, stops at about ${events} places to look at a
suggestion, and takes it, refuses it or types something else. After every ${BATCH_EVENTS} events the adapter is trained,
checked on places that are kept apart, and swapped in. ${split.heldOut.length} other files are never typed: the model is
compared on them before and after. Computing on ${availableParallelism()} cores, nothing leaves this computer.
`);

const progress = new ReplayProgress();
const whileTraining: number[] = [];
let printed = 0;
const result = await runArm(
  'both',
  SEED,
  options,
  {
    onPhase: (phase) => {
      progress.stop();
      say(phaseText(phase));
    },
    onProgress: progress.onProgress,
    onStream: (stream) => {
      for (; printed < stream.runs.length; printed++) {
        const run = stream.runs[printed]!;
        progress.stop();
        const total = run.seconds.total ?? 0;
        const what = run.version === null ? run.decision : `adapter ${run.version} ${run.decision}`;
        say(
          `      update ${printed + 1}: ${run.events} events, ${total.toFixed(0)} s, ${what}. ${run.reason}`,
        );
      }
      progress.onStream(stream);
    },
    duringUpdate: async (update, ended, companion) => {
      if (update !== PROBED_UPDATE) return;
      whileTraining.push(
        ...(await probeLatency(companion, split.heldOut, positions, options.context, ended)),
      );
    },
  },
  { results: undefined, scores: undefined },
);
progress.stop();
const reportPath = join(dataDir, 'report.json');
writeFileSync(reportPath, reportJson(folder, split, [result]));
say(summary(result));

function summary(arm: ArmResult): string {
  const { heldOut, stream } = arm;
  return `
What happened while typing
  ${arm.requests} suggestions asked for, ${arm.feedbackEvents} facts about them stored; of what was shown ${percent(stream.acceptRate)} accepted,
  ${stream.retainedPer1000.toFixed(0)} of 1,000 characters came from suggestions and stayed, ${percent(stream.silentShare)} silent, ${percent(stream.suppressedShare)} hidden by a filter.

Updates: seconds from the batch of events to the new adapter in service, by phase${whileTraining.length > 0 ? ` (update ${PROBED_UPDATE} with completions running beside it)` : ''}
${indent(updatesTable(arm.runs))}

Time of a completion
${indent(table([['', 'p50', 'p95', 'requests'], latencyRow('learner idle', arm.latencies), latencyRow('while it trains', whileTraining)]))}

Before and after, on ${heldOut.files} files that were never typed (${heldOut.positions} places; intervals: 95 %, by file)
${indent(beforeAfterTable(arm))}

In service: adapter ${arm.adapterVersion} (0 is the model as shipped). All of it took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes.

Where to look next
  ${reportPath}   everything above as JSON
  ${arm.dataDir}   adapters, events (experience.db)
  tensorboard --logdir ${boardFolder(arm.dataDir)}   the curves of learning; the same as lines of JSON beside them
  npx hone replay YOUR-FOLDER   the same on code of your own; --arms base,correction,ppo,both --seeds 1,2,3 compares
  npx hone serve   the services for an editor; README.md says how to install the extension
`;
}

function phaseText(phase: Phase): string {
  const texts: Record<Phase, string> = {
    start: '[1/5] Starting the services on the embedded model.',
    before: `[2/5] Asking at ${SERVED_PER_FILE} places of each file that will never be typed, with the model as it is.`,
    teach: 'Learning from the files as they are.',
    stream: '[3/5] Typing, with the learner at work.',
    after: '[4/5] Asking at the same places again, with the adapter that is now in service.',
    score: '[5/5] Scoring what really stands there, before and after.',
  };
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  return `${texts[phase]} (${seconds} s)`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

function say(text: string): void {
  console.log(text);
}

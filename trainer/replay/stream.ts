import type { FeedbackEvent, RunSummary } from '../../extension/common/contracts/index.ts';
import { seededIds, VirtualClock } from './clock.ts';
import type { HttpCompanion } from './companion.ts';
import { SimulatedDeveloper, type Companion, type Exchange } from './developer.ts';
import { SimulatedEditor } from './editor.ts';
import type { SourceFile } from './files.ts';
import type { Habits } from './habits.ts';
import { planPauses } from './plan.ts';
import { keyedRandom } from './random.ts';
import type { ContextOf } from './workspace.ts';

export interface StreamOptions {
  files: readonly SourceFile[];
  /** Pauses at which a suggestion is asked for; what follows an accepted one comes on top. */
  events: number;
  habits: Habits;
  seed: number;
  /** False: everything is submitted, nothing is trained. */
  train: boolean;
  /** Events that are waiting when an update is made. */
  batchEvents: number;
  /** What the prompts show beside the document. */
  context: ContextOf;
  /** What will hardly be taken is hidden. */
  displayFilter: boolean;
  /** Runs beside an update, whose number counts from 1; it is waited for. `ended` never rejects. */
  duringUpdate?: (update: number, ended: Promise<unknown>, companion: HttpCompanion) => Promise<void>;
  onProgress?: (progress: StreamProgress) => void;
}

export interface StreamProgress {
  asked: number;
  planned: number;
  file: string;
  training: boolean;
  runs: RunSummary[];
}

export interface StreamResult {
  exchanges: Exchange[];
  events: FeedbackEvent[];
  /** `seconds.total`: from the batch to the new adapter in service, as the client sees it. */
  runs: RunSummary[];
  /** Milliseconds from request to answer, one for each exchange. */
  latencies: number[];
}

/**
 * The simulated developer's day, in lockstep: before a line is begun, everything known has been submitted, and when
 * enough of it is waiting, the developer takes a break and an update is made and waited for. So the adapter that serves at event t has seen only
 * earlier events, and a seed gives the same result however fast the computer is.
 */
export async function runStream(companion: HttpCompanion, options: StreamOptions): Promise<StreamResult> {
  const result: StreamResult = { exchanges: [], events: [], runs: [], latencies: [] };
  const plan = planPauses(options.files, options.events, options.habits, options.seed);
  const planned = [...plan.values()].reduce((sum, positions) => sum + positions.length, 0);
  let file = '';
  const report = (training: boolean): void =>
    options.onProgress?.({ asked: result.exchanges.length, planned, file, training, runs: result.runs });

  const train = async (atLeast: number, takeBreak: () => Promise<void>): Promise<void> => {
    if (!options.train || (await companion.waiting()) < atLeast) return;
    await takeBreak();
    report(true);
    const startedAt = performance.now();
    const ended = companion.step();
    await options.duringUpdate?.(
      result.runs.length + 1,
      ended.catch(() => undefined),
      companion,
    );
    const { run } = await ended;
    const total = (performance.now() - startedAt) / 1000;
    if (run !== null) result.runs.push({ ...run, seconds: { ...run.seconds, total } });
    report(false);
  };

  const clock = new VirtualClock();
  const editor = new SimulatedEditor(clock, seededIds(clock, keyedRandom(options.seed, 'events')));
  const developer = new SimulatedDeveloper(editor, recording(companion, result), {
    habits: options.habits,
    seed: options.seed,
    session: `replay-${options.seed}`,
    context: options.context,
    displayFilter: options.displayFilter,
    beforeLine: (takeBreak) => train(options.batchEvents, takeBreak),
    onExchange: (exchange) => {
      result.exchanges.push(exchange);
      report(false);
    },
  });
  for (const source of options.files) {
    file = source.path;
    const pauses = plan.get(source.path)!;
    if (pauses.length > 0) await developer.typeFile(source, pauses);
  }
  await developer.finish();
  await train(Math.max(1, Math.floor(options.batchEvents / 2)), async () => {});
  return result;
}

/** The services, with a copy kept of what goes to them. */
function recording(companion: HttpCompanion, result: StreamResult): Companion {
  return {
    async complete(request) {
      const answer = await companion.complete(request);
      result.latencies.push(answer.latencyMs);
      return answer;
    },
    async submit(events) {
      result.events.push(...events);
      await companion.submit(events);
    },
  };
}

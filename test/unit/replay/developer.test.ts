import assert from 'node:assert/strict';
import type {
  CompletionRequestInput,
  CompletionResponse,
  FeedbackEvent,
} from '../../../extension/common/contracts/index.ts';
import { feedbackEventSchema } from '../../../extension/common/contracts/index.ts';
import { seededIds, VirtualClock } from '../../../trainer/replay/clock.ts';
import { SimulatedDeveloper, type Exchange } from '../../../trainer/replay/developer.ts';
import { SimulatedEditor } from '../../../trainer/replay/editor.ts';
import type { SourceFile } from '../../../trainer/replay/files.ts';
import { DEFAULT_HABITS, type Habits } from '../../../trainer/replay/habits.ts';
import { noContext } from '../../../trainer/replay/workspace.ts';
import { planPauses } from '../../../trainer/replay/plan.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';

const file: SourceFile = {
  path: 'src/sum.ts',
  language: 'typescript',
  text: Array.from(
    { length: 40 },
    (_, i) =>
      `export function total${i}(first: number): number {\n  return first + ${i} * scale(first, ${i});\n}\n`,
  ).join('\n'),
};

interface Stream {
  exchanges: Exchange[];
  events: FeedbackEvent[];
  requests: CompletionRequestInput[];
  text: string;
}

/** Types the file against suggestions made by `suggest` from the rest of the line. */
async function stream(
  suggest: (rest: string, index: number) => string,
  habits: Partial<Habits> = {},
  seed = 1,
  acceptance?: CompletionResponse['acceptance'],
): Promise<Stream> {
  const clock = new VirtualClock();
  const editor = new SimulatedEditor(clock, seededIds(clock, keyedRandom(seed, 'events')));
  const completionId = seededIds(clock, keyedRandom(seed, 'completions'));
  const result: Stream = { exchanges: [], events: [], requests: [], text: '' };
  const companion = {
    complete: async (request: CompletionRequestInput) => {
      result.requests.push(request);
      const line = file.text.slice(request.offset).split('\n', 1)[0]!;
      const suggested = suggest(line, result.requests.length);
      return { id: completionId(), text: suggested, adapterVersion: 0, acceptance };
    },
    submit: async (events: FeedbackEvent[]) => {
      result.events.push(...events);
    },
  };
  const merged = { ...DEFAULT_HABITS, ...habits };
  const developer = new SimulatedDeveloper(editor, companion, {
    habits: merged,
    seed,
    session: 'test',
    context: noContext,
    displayFilter: acceptance !== undefined,
    beforeLine: async () => {},
    onExchange: (exchange) => result.exchanges.push(exchange),
  });
  await developer.typeFile(file, planPauses([file], 60, merged, seed).get(file.path)!);
  await developer.finish();
  result.text = editor.text;
  return result;
}

const outcomes = (events: FeedbackEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'outcome' ? [event.outcome.kind] : []));

const outcomesOf = ({ events }: Stream) => events.filter((event) => event.kind === 'outcome');

describe('the simulated developer', () => {
  it('writes the file as it is, whatever was suggested', async () => {
    for (const suggest of [
      (rest: string) => rest,
      () => 'nonsense();',
      () => '',
      (rest: string) => rest.slice(0, 9),
    ]) {
      assert.equal((await stream(suggest)).text, file.text);
    }
  });

  it('gives every completion exactly one outcome, in valid events with ids of their own', async () => {
    const { exchanges, events } = await stream((rest, i) =>
      i % 3 === 0 ? rest : i % 3 === 1 ? 'nonsense' : '',
    );
    for (const event of events) feedbackEventSchema.parse(event);
    assert.equal(new Set(events.map((event) => event.id)).size, events.length);
    const settled = events.flatMap((event) => (event.kind === 'outcome' ? [event.completionId] : []));
    assert.deepEqual(settled.toSorted(), exchanges.map((exchange) => exchange.completionId).toSorted());
  });

  it('asks with what has been typed so far, and with what the file has below', async () => {
    const { requests } = await stream(() => 'nonsense');
    for (const request of requests) {
      assert.ok(file.text.slice(0, request.offset).endsWith(request.prompt));
      const below = file.text.slice(file.text.indexOf('\n', request.offset));
      assert.ok(below.startsWith(request.suffix!), request.suffix);
    }
  });

  it('accepts the right suggestion, and most of it survives', async () => {
    const { events } = await stream((rest) => rest, {
      ignoreShare: 0,
      typeThroughShare: 0,
      deleteShare: 0.3,
    });
    // A closing bracket alone is never shown, so that nothing but acceptances is left.
    assert.deepEqual(new Set(outcomes(events)), new Set(['accepted']));
    const kept = events.flatMap((event) =>
      event.kind === 'retention' && event.afterSeconds === 120 ? [event.fraction] : [],
    );
    assert.equal(kept.length, outcomes(events).length);
    assert.ok(
      kept.filter((fraction) => fraction === 1).length > kept.filter((fraction) => fraction === 0).length,
    );
    assert.ok(kept.includes(0));
  });

  it('rejects the wrong one, and what was typed instead is known', async () => {
    const { events, exchanges } = await stream(() => 'zzz.nonsense(1)', { ignoreShare: 0 });
    assert.deepEqual(new Set(outcomes(events)), new Set(['rejected']));
    const corrections = new Map(
      events.flatMap((event) => (event.kind === 'correction' ? [[event.completionId, event.typed]] : [])),
    );
    for (const exchange of exchanges) assert.equal(corrections.get(exchange.completionId), exchange.rest);
  });

  it('takes the right beginning word by word and asks again', async () => {
    const { exchanges, events } = await stream(
      (rest) => `${rest.slice(0, 16).replace(/\w+$/, '')}zzz wrong`,
      {
        ignoreShare: 0,
        wordByWordShare: 1,
      },
    );
    assert.ok(outcomes(events).includes('partiallyAccepted'));
    assert.ok(exchanges.some((exchange) => exchange.followUp));
  });

  it('asks for one line, and is shown one where an answer has several', async () => {
    const { exchanges, events, requests, text } = await stream((rest) => `${rest}\n  nonsense();\n}`, {
      ignoreShare: 0,
      typeThroughShare: 0,
      deleteShare: 0,
    });
    assert.equal(text, file.text);
    for (const { stop } of requests) assert.deepEqual(stop, ['\n']);
    assert.deepEqual(new Set(outcomes(events)), new Set(['accepted']));
    for (const { shown, rest } of exchanges) assert.equal(shown, rest);
  });

  it('types a right suggestion through', async () => {
    const { events } = await stream((rest) => rest, { ignoreShare: 0, typeThroughShare: 1 });
    assert.deepEqual(new Set(outcomes(events)), new Set(['typedThrough']));
  });

  it('tells silence of the model from a suggestion that a filter hid', async () => {
    assert.deepEqual(new Set(outcomes((await stream(() => '')).events)), new Set(['silent']));
    assert.deepEqual(new Set(outcomes((await stream(() => ')')).events)), new Set(['suppressed']));
  });

  it('does the same with the same seed, and something else with another', async () => {
    const suggest = (rest: string, i: number): string => (i % 2 === 0 ? rest : 'other');
    const first = await stream(suggest, {}, 7);
    assert.deepEqual(await stream(suggest, {}, 7), first);
    assert.notDeepEqual((await stream(suggest, {}, 8)).exchanges, first.exchanges);
  });

  it('sees nothing of what will hardly be taken, but for a little that is tried, always the same', async () => {
    const unlikely = { before: 0.1, after: 0.05, threshold: 0.125 };
    const run = async () => outcomesOf(await stream((rest) => rest, {}, 1, unlikely));
    const first = await run();
    const hidden = first.filter(({ outcome }) => outcome.kind === 'suppressed');
    assert.ok(hidden.length > 0.8 * first.length, `${hidden.length} of ${first.length}`);
    for (const { outcome, display } of first) {
      if (outcome.kind === 'silent') continue;
      assert.equal(display!.shown, display!.explored);
      assert.equal(display!.propensity, display!.explored ? 0.02 : 0.98);
    }
    const likely = { ...unlikely, after: 0.2 };
    const shown = outcomesOf(await stream((rest) => rest, {}, 1, likely));
    assert.ok(shown.every(({ outcome }) => outcome.kind !== 'suppressed'));
    assert.deepEqual(await run(), first);
  });
});

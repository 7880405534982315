import assert from 'node:assert/strict';
import type { Outcome } from '../../../extension/common/contracts/index.ts';
import { buildSample, buildScoreItem, type SampleContext } from '../../../trainer/coordinator/samples.ts';
import { DEFAULT_TRAINING_SETTINGS } from '../../../trainer/coordinator/settings.ts';
import { tokensSpelling, type TextTools } from '../../../trainer/coordinator/text.ts';
import type { OutcomeFacts, StoredCompletion, TrainingFacts } from '../../../trainer/store/types.ts';
import { isHeldOut } from '../../../trainer/store/heldOut.ts';
import { completionRecord, MODEL_HASH } from '../../fixtures/records.ts';

const END = 0;
/** Two characters a token: 'abcd' → ab, cd. The id holds both UTF-16 units. */
const text: TextTools = {
  tokenize: (value) =>
    Array.from({ length: Math.ceil(value.length / 2) }, (_, index) => {
      const high = value.charCodeAt(index * 2 + 1);
      return value.charCodeAt(index * 2) + 256 * (Number.isNaN(high) ? 0 : high);
    }),
  detokenize: (tokens) =>
    tokens
      .filter((token) => token !== END)
      .map(
        (token) => String.fromCharCode(token % 256) + (token >= 256 ? String.fromCharCode(token >> 8) : ''),
      )
      .join(''),
  promptTokens: (prompt) => [7, ...text.tokenize(prompt)],
  documentTokens: ({ prefix }) => text.tokenize(prefix),
  endOfText: END,
};

const RAW = 'abcdef';
const GENERATED = [...text.tokenize(RAW), END];
const accepted: Outcome = { kind: 'accepted' };
const escaped: Outcome = { kind: 'rejected', how: 'escape' };

const context: SampleContext = {
  modelHash: MODEL_HASH,
  text,
  settings: DEFAULT_TRAINING_SETTINGS,
  recentVersions: new Set([0, 3]),
};

function training(
  outcome: Outcome,
  change: Partial<OutcomeFacts> = {},
  completionChange: Partial<StoredCompletion> = {},
  previous: TrainingFacts['previous'] = null,
): TrainingFacts {
  const record = completionRecord({
    rawText: RAW,
    generatedTokens: GENERATED,
    generatedLogprobs: [-1, -1, -1, -1],
  });
  const completion: StoredCompletion = {
    ...record,
    source: 'served',
    column: 0,
    heldOut: false,
    promptTokens: text.tokenize(record.promptText),
    ...completionChange,
  };
  const facts: OutcomeFacts = {
    eventId: 'e',
    completionId: completion.id,
    seq: 1,
    receivedAt: 0,
    origin: 'full',
    outcome,
    evidence: 'event',
    shownText: RAW,
    shownMs: 1_000,
    heldOut: false,
    retention: outcome.kind === 'accepted' ? { fraction: 1, settled: true } : null,
    correction: null,
    completion: { ...completion, generatedCount: completion.generatedTokens.length },
    ...change,
  };
  return { facts, completion, previous };
}

const sampleOf = (one: TrainingFacts) => buildSample(one, context)?.sample;

describe('policy term', () => {
  const rewarded: [string, TrainingFacts, number | undefined][] = [
    ['whole text: the end token too', training(accepted), 4],
    ['trimmed by a filter: shown tokens only', training(escaped, { shownText: 'abcd' }), 2],
    ['trimmed inside a token: the token that reaches over', training(escaped, { shownText: 'abc' }), 2],
    [
      'cut behind its first lines: their tokens',
      training(
        escaped,
        { shownText: 'a;\nb;' },
        { rawText: 'a;\nb;\nc(', generatedTokens: [...'a;\nb;\nc('].map((unit) => unit.charCodeAt(0)) },
      ),
      5,
    ],
    [
      'rewritten by a filter: none',
      training(escaped, { shownText: 'xbcd', correction: { typed: 'y' } }),
      undefined,
    ],
    [
      'cut by the length cap: no end token to reward',
      training(
        accepted,
        {},
        { generatedTokens: GENERATED.slice(0, 3), finishReason: 'length', ended: false },
      ),
      3,
    ],
    [
      'silence: ending at once',
      training({ kind: 'silent' }, { shownText: '' }, { rawText: '', generatedTokens: [END] }),
      1,
    ],
  ];
  for (const [name, one, count] of rewarded)
    it(name, () => assert.equal(sampleOf(one)!.policy?.rewarded, count));

  it('carries what was recorded', () => {
    const built = buildSample(
      training(escaped, { evidence: 'observed' }, { adapterVersion: 3, adapterScale: 0.5 }),
      context,
    )!;
    assert.equal(built.reward, -0.25);
    assert.equal(built.stale, false);
    assert.deepEqual(built.sample.policy, {
      tokens: GENERATED,
      rewarded: 4,
      advantage: -0.25,
      weight: 0.5,
      temperature: 0.3,
      adapterVersion: 3,
      adapterScale: 0.5,
      engineLogprobs: [-1, -1, -1, -1],
    });
  });

  it('leaves the engine out where it did not tell every probability', () => {
    const one = training(escaped, {}, { generatedLogprobs: [-1, null, -1, -1] });
    assert.equal(sampleOf(one)!.policy!.engineLogprobs, undefined);
  });

  it('is dropped, and said, for a version too long ago; the text stays', () => {
    const built = buildSample(training(accepted, {}, { adapterVersion: 2 }), context)!;
    assert.equal(built.stale, true);
    assert.equal(built.reward, null);
    assert.equal(built.sample.policy, undefined);
    assert.deepEqual(built.sample.supervised!.tokens, GENERATED);
  });

  it('leaves no sample where nothing else teaches', () => {
    assert.equal(buildSample(training(escaped, {}, { adapterVersion: 2 }), context), null);
  });
});

describe('supervised term', () => {
  const supervised = (one: TrainingFacts) => sampleOf(one)?.supervised;
  const correction = (typed: string) => ({ correction: { typed } });

  it('learns what was typed and that it ended there', () => {
    assert.deepEqual(supervised(training(escaped, correction('wxyz'))), {
      source: 'correction',
      tokens: [...text.tokenize('wxyz'), END],
      weight: 1,
    });
  });

  it('learns silence where nothing was typed', () => {
    assert.deepEqual(supervised(training(escaped, correction('')))!.tokens, [END]);
  });

  it('reads CRLF as LF', () => {
    assert.deepEqual(supervised(training(escaped, correction('a\r\nb')))!.tokens, [
      ...text.tokenize('a\nb'),
      END,
    ]);
  });

  it('cuts a long text, without an end', () => {
    const { tokens } = supervised(training(escaped, correction('z'.repeat(1_000))))!;
    assert.equal(tokens.length, context.settings.maxTargetTokens);
    assert.notEqual(tokens.at(-1), END);
  });

  it('weighs accepted text by what was kept', () => {
    const one = training(accepted, { retention: { fraction: 0.6, settled: true } });
    assert.deepEqual(supervised(one), { source: 'accepted', tokens: GENERATED, weight: 0.6 });
  });

  it('takes the part that was accepted, in whole tokens', () => {
    const taken = (chars: number) => supervised(training({ kind: 'partiallyAccepted', chars }))?.tokens;
    assert.deepEqual(taken(4), GENERATED.slice(0, 2));
    assert.deepEqual(taken(5), GENERATED.slice(0, 2));
    assert.equal(taken(1), undefined);
  });

  it('tokenises what a filter rewrote', () => {
    const one = training(accepted, { shownText: 'xbcd' });
    assert.deepEqual(supervised(one)!.tokens, text.tokenize('xbcd'));
  });

  it("tokenises prompt and text of a client's completion and of another model's", () => {
    const client = training(
      accepted,
      { origin: 'flat' },
      { source: 'client', promptTokens: null, generatedTokens: [] },
    );
    client.facts.completion!.source = 'client';
    const sample = sampleOf(client)!;
    assert.deepEqual(sample.prompt, text.promptTokens('const a = '));
    assert.deepEqual(sample.supervised!.tokens, [...text.tokenize(RAW), END]);
    assert.equal(sample.policy, undefined);
    const other = sampleOf(training(accepted, {}, { modelHash: 'b' }))!;
    assert.deepEqual(other.prompt, text.promptTokens('const a = '));
    assert.equal(other.policy, undefined);
  });
});

describe('context term', () => {
  const LINE_CHARS = 8;
  const line = (i: number): string => `let ${String.fromCharCode(97 + i)}=1\n`;
  const linesTo = (count: number): string => Array.from({ length: count }, (_, i) => line(i)).join('');
  const relativePath = 'src/lines.ts';
  const heldOut = (line: number): boolean =>
    isHeldOut({ relativePath, offset: line * LINE_CHARS + 1, column: 1, promptText: '' });
  /** Indexes of the taught tokens, after `lines` lines and half of one more were typed. */
  const taught = (
    lines: number,
    previous: Partial<NonNullable<TrainingFacts['previous']>> | null,
    change: Partial<StoredCompletion> = {},
  ): number[] | undefined => {
    const promptText = linesTo(lines) + line(lines).slice(0, 4);
    const completion = {
      relativePath,
      promptText,
      promptTokens: text.tokenize(promptText),
      offset: promptText.length,
      ...change,
    };
    const before = previous && { offset: 0, heldOut: false, promptText: '', ...previous };
    const term = sampleOf(training(accepted, {}, completion, before))!.context;
    return term?.spans.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i));
  };
  const tokensOf = (line: number): number[] => [0, 1, 2, 3].map((i) => line * 4 + i);
  /** All tokens of the lines that are not held out, but the first of the prompt, which nothing predicts. */
  const expected = (from: number, lines: number): number[] =>
    [
      ...Array.from({ length: lines - from }, (_, i) => from + i)
        .filter((line) => !heldOut(line))
        .flatMap(tokensOf),
      ...(heldOut(lines) ? [] : tokensOf(lines).slice(0, 2)),
    ].filter((token) => token > 0);

  it('covers the whole prefix at the first request in a document, but for held-out lines', () => {
    assert.ok([...Array(12).keys()].some(heldOut), 'a line of the twelve is held out');
    assert.deepEqual(taught(12, null), expected(0, 12));
  });

  it('covers what was typed since the request before', () => {
    const before = linesTo(7);
    assert.deepEqual(taught(12, { offset: before.length, promptText: before }), expected(7, 12));
  });

  it('covers the whole prefix when more was typed than it shows', () => {
    const shown = linesTo(3);
    const far = { offset: 1000 + shown.length, promptText: shown, promptTokens: text.tokenize(shown) };
    const all = taught(3, { offset: 8 }, far);
    assert.ok(all === undefined || all.every((token) => token >= 4), 'the first line may begin out of sight');
  });

  const none: [string, ReturnType<typeof taught>][] = [
    ['the completion is held out', taught(12, null, { heldOut: true })],
    ['the caret went back', taught(12, { offset: 5000 })],
    [
      'the text stood there before',
      taught(12, {
        offset: 56,
        promptText: `<|fim_prefix|><|fim_suffix|>${linesTo(13).slice(56)}<|fim_middle|>${linesTo(7)}`,
      }),
    ],
    ['the caret came from elsewhere', taught(12, { offset: 56, promptText: 'something else, far away\n' })],
    ['the place is not told', taught(12, null, { offset: 0 })],
    [
      'the prompt is in prefix-suffix-middle order',
      taught(12, null, { promptText: `<|fim_prefix|>${line(0)}<|fim_suffix|>x<|fim_middle|>` }),
    ],
  ];
  for (const [name, term] of none) it(`is left out when ${name}`, () => assert.equal(term, undefined));
});

describe('score items', () => {
  const item = (one: TrainingFacts) => buildScoreItem(one, context);

  it('scores what was typed, without the end', () => {
    assert.deepEqual(item(training(escaped, { correction: { typed: 'wxyz' } })), {
      id: 'e',
      prompt: text.tokenize('const a = '),
      target: text.tokenize('wxyz'),
    });
  });

  it('tokenises no more of a text of megabytes than is learned from', () => {
    let longest = 0;
    const counting = {
      ...text,
      tokenize: (value: string) => {
        longest = Math.max(longest, value.length);
        return text.tokenize(value);
      },
    };
    const typed = 'x'.repeat(5_000_000);
    const { maxTargetTokens } = context.settings;
    const { sample } = buildSample(training(escaped, { correction: { typed } }), {
      ...context,
      text: counting,
    })!;
    assert.deepEqual(sample.supervised!.tokens, text.tokenize('x'.repeat(2 * maxTargetTokens)));
    assert.ok(longest < 10_000, `${longest} characters were tokenised`);
  });

  it('scores accepted text that was kept whole', () => {
    assert.deepEqual(item(training(accepted))!.target, text.tokenize(RAW));
    assert.equal(item(training(accepted, { retention: { fraction: 0.9, settled: true } })), null);
  });

  it('scores nothing where the truth is not known or empty', () => {
    assert.equal(item(training(escaped)), null);
    assert.equal(item(training(escaped, { correction: { typed: null } })), null);
    assert.equal(item(training(escaped, { correction: { typed: '' } })), null);
  });
});

describe('counting tokens', () => {
  it('spells a text from the front', () => {
    const tokens = text.tokenize('abcdef');
    const count = (value: string, whole: boolean) => tokensSpelling(tokens, value, whole, text.detokenize);
    assert.deepEqual(
      ['', 'a', 'ab', 'abc', 'abcdef'].map((value) => [count(value, false), count(value, true)]),
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [2, 1],
        [3, 3],
      ],
    );
  });
});

import assert from 'node:assert/strict';
import type { Outcome } from '../../../extension/common/contracts/index.ts';
import { buildSample, buildScoreItem, type SampleContext } from '../../../trainer/coordinator/samples.ts';
import { DEFAULT_TRAINING_SETTINGS } from '../../../trainer/coordinator/settings.ts';
import { tokensEnding, tokensSpelling, type TextTools } from '../../../trainer/coordinator/text.ts';
import type { OutcomeFacts, StoredCompletion, TrainingFacts } from '../../../trainer/store/types.ts';
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
    retention: outcome.kind === 'accepted' ? { fraction: 1 } : null,
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
    const built = buildSample(training(escaped, { evidence: 'observed' }, { adapterVersion: 3 }), context)!;
    assert.equal(built.reward, -0.25);
    assert.equal(built.stale, false);
    assert.deepEqual(built.sample.policy, {
      tokens: GENERATED,
      rewarded: 4,
      advantage: -0.25,
      weight: 0.5,
      temperature: 0.3,
      adapterVersion: 3,
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
    const one = training(accepted, { retention: { fraction: 0.6 } });
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
  const before = 'const first = 1;\n';
  const now = 'const first = 1;\nlet two = ';
  const after = (
    previous: Partial<NonNullable<TrainingFacts['previous']>>,
    change: Partial<StoredCompletion> = {},
  ) =>
    sampleOf(
      training(
        accepted,
        {},
        {
          promptText: now,
          promptTokens: text.tokenize(now),
          offset: 500 + now.length - before.length,
          ...change,
        },
        { offset: 500, heldOut: false, promptText: before, ...previous },
      ),
    )!.context;

  it('covers what was typed since the request before', () => {
    const typed = now.length - before.length;
    const from = text.tokenize(now).length - Math.floor(typed / 2);
    assert.deepEqual(after({}), { from, weight: 1 });
  });

  const none: [string, ReturnType<typeof after>][] = [
    ['the request before was held out', after({ heldOut: true })],
    ['the caret went back', after({ offset: 600 })],
    [
      'the text stood there before',
      after({ promptText: `<|fim_prefix|><|fim_suffix|>let two = <|fim_middle|>${before}` }),
    ],
    ['the caret came from elsewhere', after({ promptText: 'something else, far away\n' })],
    [
      'the prompt is in prefix-suffix-middle order',
      after({}, { promptText: `<|fim_prefix|>${now}<|fim_suffix|>x<|fim_middle|>` }),
    ],
  ];
  for (const [name, term] of none) it(`is left out when ${name}`, () => assert.equal(term, undefined));

  const whole = { from: 1, weight: 1 };

  it('covers the whole prefix when more was typed than it shows', () => {
    assert.deepEqual(after({ offset: 1 }), whole);
    assert.equal(after({ offset: 1, heldOut: true }), undefined);
  });

  it('covers the whole prefix at the first request in a document', () => {
    assert.deepEqual(sampleOf(training(accepted))!.context, whole);
  });
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

  it('scores accepted text that was kept whole', () => {
    assert.deepEqual(item(training(accepted))!.target, text.tokenize(RAW));
    assert.equal(item(training(accepted, { retention: { fraction: 0.9 } })), null);
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

  it('counts tokens at the end that fit', () => {
    const tokens = text.tokenize('abcdef');
    assert.deepEqual(
      [0, 1, 2, 3, 4, 99].map((chars) => tokensEnding(tokens, chars, text.detokenize)),
      [0, 0, 1, 1, 2, 3],
    );
  });
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { infillResponseSchema } from '../../extension/common/contracts/index.ts';
import { openLearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent } from '../fixtures/records.ts';
import { privateKey } from '../fixtures/secrets.ts';
import { openTinyEngine } from '../fixtures/tinyEngine.ts';
import { openTinyService, type TinyService } from '../fixtures/tinyService.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const MASKED = 'MAS_KEDMASKEDMASKEDMASKEDMASKEDMASKEDMAS';
const GREEDY = { temperature: 0, max_tokens: 4 };

describe('secrets that a client sends in a prompt', () => {
  let tiny: TinyService;
  before(async () => (tiny = await openTinyService()));
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  const recorded = () => {
    const [record] = tiny.records;
    assert.ok(record !== undefined && tiny.records.length === 1);
    assert.ok(!JSON.stringify(record).includes(SECRET));
    return record;
  };

  it('are masked before the prompt is tokenised, so that recorded text and ids agree', async () => {
    const body = {
      prompt: `const a = '${SECRET}';\nconst b = `,
      suffix: `;\nuse('${SECRET}');\n`,
      ...GREEDY,
    };
    const answer = await tiny.complete(body);
    assert.equal(answer.secrets_masked, true);
    const record = recorded();
    const masked = {
      ...body,
      prompt: body.prompt.replace(SECRET, MASKED),
      suffix: body.suffix.replace(SECRET, MASKED),
    };
    const same = await tiny.complete(masked);
    assert.equal(same.secrets_masked, undefined);
    assert.deepEqual(record.promptTokens, tiny.records[1]!.promptTokens);
    assert.equal(record.promptText, tiny.records[1]!.promptText);
    assert.equal(answer.choices[0]!.text, same.choices[0]!.text);
  });

  it('are masked where the caret stands in them', async () => {
    await tiny.complete({
      prompt: `use('${SECRET.slice(0, 20)}`,
      suffix: `${SECRET.slice(20)}');\n`,
      ...GREEDY,
    });
    const { promptText } = recorded();
    for (let at = 0; at + 6 < SECRET.length; at += 3)
      assert.ok(!promptText.includes(SECRET.slice(at, at + 6)));
  });

  it('are masked in a prompt without markers and in one of another family', async () => {
    const plain = await tiny.complete({ prompt: `use('${SECRET}');\n`, ...GREEDY });
    assert.equal(plain.secrets_masked, true);
    assert.equal(recorded().promptText, `use('${MASKED}');\n`);
    tiny.records.splice(0);
    const other = `<fim_prefix>use('${SECRET}');\n<fim_suffix>\n<fim_middle>`;
    const answer = await tiny.complete({ prompt: other, ...GREEDY });
    assert.deepEqual([answer.rerendered, answer.secrets_masked], [true, true]);
    assert.ok(recorded().promptText.includes(MASKED));
  });

  it('do not make an own prompt one that was rendered anew', async () => {
    await tiny.complete({ prompt: 'a', suffix: 'b', ...GREEDY });
    const own = tiny.records[0]!.promptText.replace('a', `use('${SECRET}')`);
    const answer = await tiny.complete({ prompt: own, ...GREEDY });
    assert.deepEqual([answer.rerendered, answer.secrets_masked], [undefined, true]);
  });

  it('are masked in every part of an infill', async () => {
    const key = privateKey();
    const response = await tiny.post('/infill', {
      input_prefix: `const key = \`${key.slice(0, 300)}`,
      prompt: '',
      input_suffix: `${key.slice(300)}\`;\n`,
      input_extra: [{ filename: 'b.ts', text: `use('${SECRET}');\n` }],
      n_predict: 4,
      temperature: 0,
    });
    const answer = infillResponseSchema.parse(await response.json());
    assert.equal(answer.secrets_masked, true);
    const { promptText } = recorded();
    assert.ok(!promptText.includes('PRIVATE KEY') && !promptText.includes(key.slice(100, 120)));
  });
});

describe('secrets that a client sends as feedback', () => {
  it('are on the disk nowhere, and an event still finds its completion by the prompt', async () => {
    const tiny = await openTinyEngine();
    const service = await openLearningService({ batchEvents: 1000 }, { tiny });
    const record = service.completion({ promptText: `use('${MASKED}');\nconst a = `, rawText: 'one;' });
    const flat = {
      prompt: `use('${SECRET}');\nconst a = `,
      prefix: `use('${SECRET}');\nconst a = `,
      completion: 'one;',
      accepted: false,
      typed: `'${SECRET}';`,
      note: { more: SECRET },
    };
    await service.submit(flat);
    const full = service.completion();
    await service.submit(outcomeEvent(full, { kind: 'rejected', how: 'escape' }));
    await service.submit(correctionEvent(full.id, `'${SECRET}';`));
    await service.submit({ ...outcomeEvent({ id: uuidv7() }, { kind: 'accepted' }), shownText: SECRET });
    assert.equal(service.store.events.count(), 4);
    const [facts] = service.store.facts.undecided().filter((one) => one.completionId === record.id);
    assert.equal(facts?.correction?.typed, `'${MASKED}';`);
    const { dataDir } = service;
    await service.close();
    for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(SECRET), file.name);
    }
    await tiny.close();
  });
});

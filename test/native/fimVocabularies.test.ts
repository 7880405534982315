import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { FimDocument } from '../../extension/common/prompt/fim.ts';
import { FIM_MARKERS, spellingInText } from '../../extension/common/prompt/fimFamilies.ts';
import { TextAssembler } from '../../trainer/inference/text.ts';
import type { Vocabulary } from '../../trainer/inference/vocabulary.ts';
import { buildPrompt } from '../../trainer/server/inference/prompt.ts';
import {
  openRealVocabularies,
  REAL_FAMILIES,
  type RealFamily,
  type RealVocabularies,
} from './realVocabularies.ts';

const CONTEXT_TOKENS = 4096;
const MAX_TOKENS = 48;
const RUNS = 150;
/** Some seconds, and more on a busy computer. */
const LOADING_TIMEOUT_MS = 180_000;

/** Ids of prefix, suffix, middle, and in front of every prompt, as the models' own tokenizers number them. */
const MARKER_IDS: Record<RealFamily, [prefix: number, suffix: number, middle: number]> = {
  qwen: [151_659, 151_661, 151_660],
  starcoder2: [1, 3, 2],
  starcoder: [1, 3, 2],
  deepseek: [32_016, 32_015, 32_017],
  codellama: [31_993, 31_994, 31_995],
};
const BEGIN_OF_TEXT: Record<RealFamily, number | null> = {
  qwen: null,
  starcoder2: null,
  starcoder: null,
  deepseek: 32_013,
  codellama: 1,
};
/** End of text, and what else ends a completion of the family. */
const ENDS: Record<RealFamily, number[]> = {
  qwen: [151_643, 151_645, 151_662, 151_663, 151_664],
  starcoder2: [0, 6],
  starcoder: [0],
  deepseek: [32_014, 32_021],
  codellama: [2, 31_996],
};
/** Spellings that are special in some model, and text that is none. */
const SPELLINGS = [
  ...[...FIM_MARKERS].map(spellingInText),
  '<|endoftext|>',
  '<|im_end|>',
  '<|EOT|>',
  '<|User|>',
  '<｜end▁of▁sentence｜>',
  '</s>',
  '<pad>',
  '[PAD32022]',
  '[PAD151700]',
  '<issue_start>',
];
const CODE = [
  'const a = ',
  '  return "x";\n',
  '// ',
  '```',
  '\t',
  ' ',
  '\n',
  '(',
  '<',
  '|>',
  'õ÷',
  '\uFFFD',
  '日本',
  '🎉',
  '#a.py\n',
];

describe('the vocabularies of real code models', () => {
  let real: RealVocabularies;
  const loaded = new Map<RealFamily, Vocabulary>();
  before(async function () {
    this.timeout(LOADING_TIMEOUT_MS);
    real = await openRealVocabularies();
    for (const family of REAL_FAMILIES) loaded.set(family, await real.open(family));
  });
  after(() => real.close());

  for (const family of REAL_FAMILIES) {
    describe(family, () => {
      const vocabulary = () => loaded.get(family)!;
      // SentencePiece has one token for a space and for the character that it spells it with.
      const units = [...SPELLINGS, ...CODE].filter((unit) => family !== 'codellama' || !unit.includes('▁'));
      const documents = fc
        .array(fc.oneof(fc.constantFrom(...units), fc.string({ unit: 'grapheme', maxLength: 4 })), {
          maxLength: 12,
        })
        .map((pieces) => pieces.join(''))
        .filter((text) => family !== 'codellama' || !text.includes('▁'));

      it('chooses its template by its markers, with the ids of the model', () => {
        const { fim } = vocabulary();
        assert.equal(fim?.family, family);
        assert.equal(fim.order, 'psm');
        const ids = [fim.prefix, fim.suffix, fim.middle!].map((marker) =>
          vocabulary().tokenizePart({ marker }),
        );
        assert.deepEqual(ids.flat(), MARKER_IDS[family]);
      });

      it('begins and ends as its model does', () => {
        assert.equal(vocabulary().beginOfText, BEGIN_OF_TEXT[family]);
        for (const id of [...ENDS[family], ...MARKER_IDS[family]]) {
          assert.ok(vocabulary().endOfGeneration.has(id), String(id));
        }
      });

      it('keeps every spelling of a special token in a document as text', () => {
        fc.assert(
          fc.property(documents, (text) => {
            const tokens = vocabulary().tokenize(text);
            assert.deepEqual(
              tokens.filter((id) => vocabulary().endOfGeneration.has(id)),
              [],
            );
            assert.equal(vocabulary().detokenize(tokens), text);
          }),
          { numRuns: RUNS },
        );
      });

      it('keeps the spaces of a text', () => {
        for (const text of [' !', 'a !== b ? c : d', 'x , y .z', " do n't", '\uFEFFa', '  \n\t .'])
          assert.equal(vocabulary().detokenize(vocabulary().tokenize(text)), text);
      });

      it('shows a completion that spells special tokens whole, and one that contains them without', () => {
        const { endOfGeneration } = vocabulary();
        const special = fc.constantFrom(...endOfGeneration);
        fc.assert(
          fc.property(documents, fc.nat(), special, (text, place, id) => {
            const tokens = vocabulary().tokenize(text);
            assert.equal(assembled(vocabulary(), tokens), text);
            const at = place % (tokens.length + 1);
            const shown = vocabulary().detokenize([...tokens.slice(0, at), id, ...tokens.slice(at)]);
            assert.equal(shown, text);
          }),
          { numRuns: RUNS },
        );
      });

      it('builds a prompt of which only the markers are special', () => {
        const { beginOfText } = vocabulary();
        fc.assert(
          fc.property(documents, documents, (prefix, suffix) => {
            const { tokens } = prompt(vocabulary(), { prefix, suffix });
            const special = tokens.filter((id) => vocabulary().endOfGeneration.has(id));
            const front = beginOfText === null ? [] : [beginOfText];
            assert.deepEqual(special, [...front, ...MARKER_IDS[family]]);
          }),
          { numRuns: RUNS },
        );
      });

      it('shows no suffix where the template is set to none', async () => {
        const without = await real.open(family, 'none');
        const built = prompt(without, { prefix: 'let a = ', suffix: ';\n' });
        assert.equal(without.fim, null);
        assert.equal(built.suffixDropped, true);
        assert.equal(built.text, 'let a = ');
        assert.ok(MARKER_IDS[family].every((id) => without.endOfGeneration.has(id)));
        assert.equal(without.detokenize([...MARKER_IDS[family], ...without.tokenize('a')]), 'a');
      });

      it('refuses a template that is not its own', async () => {
        const other = family === 'deepseek' ? 'qwen' : 'deepseek';
        await assert.rejects(real.open(family, other), {
          code: 'fim_template_unfit',
          message: /has no <.*Set --fim-template/,
        });
      });
    });
  }

  it('put paths and files as each model was shown them', () => {
    const document = {
      repo: 'demo',
      files: [{ path: 'b.ts', text: 'let b;\n' }],
      path: 'a.ts',
      prefix: 'x',
      suffix: 'y',
    };
    const markers = (family: RealFamily) => {
      const vocabulary = loaded.get(family)!;
      return prompt(vocabulary, document).tokens.filter((id) => vocabulary.endOfGeneration.has(id));
    };
    assert.deepEqual(markers('qwen'), [151_663, 151_664, 151_664, 151_659, 151_661, 151_660]);
    assert.deepEqual(markers('starcoder2'), [5, 6, 6, 1, 3, 2]);
    assert.deepEqual(markers('starcoder'), [1, 3, 2]);
    assert.deepEqual(markers('deepseek'), [32_013, 32_016, 32_015, 32_017]);
  });

  it('give Code Llama the space that SentencePiece puts in front of the prefix, and none elsewhere', () => {
    const vocabulary = loaded.get('codellama')!;
    const { tokens } = prompt(vocabulary, { prefix: 'let', suffix: 'y' });
    const [before, word] = [vocabulary.tokenize(' let'), vocabulary.tokenize('y')];
    assert.deepEqual(tokens, [1, 31_993, ...before, 31_994, ...word, 31_995]);
    assert.notDeepEqual(before, vocabulary.tokenize('let'));
  });
});

function prompt(vocabulary: Vocabulary, document: FimDocument) {
  const engine = {
    model: { fim: vocabulary.fim, contextTokens: CONTEXT_TOKENS, beginOfText: vocabulary.beginOfText },
    tokenize: (text: string) => vocabulary.tokenize(text),
    tokenizeParts: (parts: Parameters<Vocabulary['tokenizeParts']>[0]) => vocabulary.tokenizeParts(parts),
  };
  return buildPrompt(engine, { kind: 'document', document }, MAX_TOKENS);
}

/** What is shown of ids that come one by one behind a prompt. */
function assembled(vocabulary: Vocabulary, tokens: readonly number[]): string {
  const assembler = new TextAssembler(vocabulary, prompt(vocabulary, { prefix: 'x', suffix: '' }).tokens);
  for (const id of tokens) assembler.push(id);
  return assembler.text;
}

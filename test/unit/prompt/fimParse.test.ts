import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { promptText, renderFim, type FimDocument } from '../../../extension/common/prompt/fim.ts';
import { chooseFimTemplate } from '../../../extension/common/prompt/fimChoice.ts';
import { allMarkers, FIM_FAMILIES } from '../../../extension/common/prompt/fimFamilies.ts';
import { takeApartFim } from '../../../extension/common/prompt/fimParse.ts';

const DOCUMENT = { prefix: 'let a = ', suffix: ';\n' };

describe('complete fill-in-the-middle prompts', () => {
  const prompts: [family: string, order: string, prompt: string][] = [
    ['qwen', 'prefix first', '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>'],
    ['qwen', 'suffix first', '<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = '],
    ['qwen', 'suffix marker first', '<|fim_suffix|>;\n<|fim_prefix|>let a = <|fim_middle|>'],
    ['starcoder', 'prefix first', '<fim_prefix>let a = <fim_suffix>;\n<fim_middle>'],
    ['codellama', 'prefix first', '<PRE> let a =  <SUF>;\n <MID>'],
    ['codellama', 'suffix first', '<PRE> <SUF>;\n <MID> let a = '],
    ['deepseek', 'prefix first', '<｜fim▁begin｜>let a = <｜fim▁hole｜>;\n<｜fim▁end｜>'],
    ['codestral', 'suffix first', '[SUFFIX];\n[PREFIX]let a = '],
    ['glm', 'prefix first', '<|code_prefix|>let a = <|code_suffix|>;\n<|code_middle|>'],
  ];
  for (const [family, order, prompt] of prompts) {
    it(`are taken apart: ${family}, ${order}`, () => {
      assert.deepEqual(takeApartFim(prompt), { family, document: DOCUMENT });
    });
  }

  it('go on from what already stands after the middle marker', () => {
    const apart = takeApartFim('<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>42');
    assert.deepEqual(apart?.document, { prefix: 'let a = 42', suffix: ';\n' });
  });

  it('give the path, the repository and the other files', () => {
    const header = '<|repo_name|>demo\n<|file_sep|>b.ts\nexport const b = 1;\n<|file_sep|>src/a.ts\n';
    assert.deepEqual(
      takeApartFim(`${header}<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>`)?.document,
      {
        ...DOCUMENT,
        repo: 'demo',
        path: 'src/a.ts',
        files: [{ path: 'b.ts', text: 'export const b = 1;\n' }],
      },
    );
  });

  it('keep text that stands in front', () => {
    const apart = takeApartFim('// a comment\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>');
    assert.deepEqual(apart?.document, { ...DOCUMENT, leading: '// a comment\n' });
  });

  const incomplete: [why: string, prompt: string][] = [
    ['plain text', 'let a = '],
    ['the middle is missing', '<|fim_prefix|>let a = <|fim_suffix|>;\n'],
    ['a marker stands there twice', '<|fim_prefix|>"<|fim_suffix|>"<|fim_suffix|>;\n<|fim_middle|>'],
    ['the middle stands in front', '<|fim_middle|><|fim_prefix|>a<|fim_suffix|>b'],
    ['two families are mixed', '<|fim_prefix|>a<fim_suffix>b<|fim_middle|>'],
  ];
  for (const [why, prompt] of incomplete) {
    it(`are none when ${why}`, () => assert.equal(takeApartFim(prompt), null));
  }
});

describe('a rendered prompt', () => {
  const path = fc.stringMatching(/^[a-z]{1,6}\/[a-z]{1,6}\.ts$/);
  const file = fc.record({ path, text: fc.string().map((text) => `${text}\n`) });
  const documents = fc.record<FimDocument>(
    {
      repo: fc.stringMatching(/^[a-z]{1,8}$/),
      files: fc.array(file, { maxLength: 2 }),
      path,
      prefix: fc.string(),
      suffix: fc.string(),
    },
    { requiredKeys: ['prefix', 'suffix'] },
  );
  for (const family of FIM_FAMILIES) {
    for (const order of ['psm', 'spm']) {
      const template = chooseFimTemplate(new Set(allMarkers(family)), order)!;
      const text = (document: FimDocument) => promptText(renderFim(template, document));

      it(`is taken apart and rendered to the same: ${family.name} ${order}`, () => {
        fc.assert(
          fc.property(documents, (document) => {
            const apart = takeApartFim(text(document));
            assert.ok(apart);
            assert.equal(text(apart.document), text(document));
          }),
        );
      });

      it(`keeps the text around the caret: ${family.name} ${order}`, () => {
        fc.assert(
          fc.property(fc.string(), fc.string(), (prefix, suffix) => {
            const { document } = takeApartFim(text({ prefix, suffix }))!;
            assert.deepEqual(document, { prefix, suffix });
          }),
        );
      });
    }
  }

  it('gives its path and other files back', () => {
    const document = {
      repo: 'demo',
      files: [{ path: 'b.ts', text: 'let b;\n' }],
      path: 'src/a.ts',
      ...DOCUMENT,
    };
    for (const name of ['qwen', 'codeqwen', 'starcoder2']) {
      const family = FIM_FAMILIES.find((candidate) => candidate.name === name)!;
      const template = chooseFimTemplate(new Set(allMarkers(family)), null)!;
      const apart = takeApartFim(promptText(renderFim(template, document)));
      assert.deepEqual(apart, { family: name, document });
    }
  });
});

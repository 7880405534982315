import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { chooseFimTemplate, promptText, renderFim } from '../../../extension/common/prompt/fim.ts';
import { takeApartFim } from '../../../extension/common/prompt/fimParse.ts';

const DOCUMENT = { prefix: 'let a = ', suffix: ';\n' };

describe('complete fill-in-the-middle prompts', () => {
  const prompts: [family: string, order: string, prompt: string][] = [
    ['qwen', 'prefix first', '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>'],
    ['qwen', 'suffix first', '<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = '],
    ['qwen', 'suffix marker first', '<|fim_suffix|>;\n<|fim_prefix|>let a = <|fim_middle|>'],
    ['starcoder', 'prefix first', '<fim_prefix>let a = <fim_suffix>;\n<fim_middle>'],
    ['codellama', 'prefix first', '<PRE> let a =  <SUF>;\n <MID>'],
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
        repo: 'demo\n',
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
  const families: [string, string[], string?][] = [
    ['qwen', ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>'], 'spm'],
    ['qwen', ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>'], 'psm'],
    ['starcoder', ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<file_sep>']],
    ['deepseek', ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>']],
    ['codestral', ['[PREFIX]', '[SUFFIX]']],
  ];
  for (const [family, vocabulary, order] of families) {
    it(`is taken apart to the document it was made of: ${family} ${order ?? ''}`, () => {
      const template = chooseFimTemplate(new Set(vocabulary), order)!;
      const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), minLength: 1 });
      fc.assert(
        fc.property(fc.string(), fc.string(), path, (prefix, suffix, file) => {
          const document = { prefix, suffix, ...(template.file === null ? {} : { path: file }) };
          assert.deepEqual(takeApartFim(promptText(renderFim(template, document))), { family, document });
        }),
      );
    });
  }
});

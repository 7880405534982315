import assert from 'node:assert/strict';
import {
  promptText,
  renderFim,
  renderPrefixOnly,
  splitMarkers,
  type FimDocument,
} from '../../../extension/common/prompt/fim.ts';
import { chooseFimTemplate } from '../../../extension/common/prompt/fimChoice.ts';
import { allMarkers, FIM_FAMILIES, type FimOrder } from '../../../extension/common/prompt/fimFamilies.ts';

const DOCUMENT = { path: 'src/a.ts', prefix: 'let a = ', suffix: ';\n' };
const WITH_FILES = { ...DOCUMENT, repo: 'demo', files: [{ path: 'b.ts', text: 'let b;\n' }] };
const QWEN = markersOf('qwen');

function markersOf(name: string): string[] {
  return allMarkers(FIM_FAMILIES.find((family) => family.name === name)!);
}

function template(vocabulary: string[], order?: FimOrder) {
  const chosen = chooseFimTemplate(new Set(vocabulary), order);
  assert.ok(chosen);
  return chosen;
}

function rendered(family: string, order: FimOrder, document: FimDocument): string {
  return promptText(renderFim(template(markersOf(family), order), document));
}

describe('a document in a template', () => {
  const alone: [family: string, order: FimOrder, prompt: string][] = [
    ['qwen', 'psm', '<|file_sep|>src/a.ts\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>'],
    ['qwen', 'spm', '<|file_sep|>src/a.ts\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = '],
    ['codeqwen', 'psm', '<file_sep>src/a.ts\n<fim_prefix>let a = <fim_suffix>;\n<fim_middle>'],
    ['starcoder2', 'psm', '<file_sep><fim_prefix>src/a.ts\nlet a = <fim_suffix>;\n<fim_middle>'],
    ['starcoder2', 'spm', '<file_sep><fim_prefix><fim_suffix>;\n<fim_middle>src/a.ts\nlet a = '],
    ['starcoder', 'psm', '<fim_prefix>let a = <fim_suffix>;\n<fim_middle>'],
    ['santacoder', 'psm', '<fim-prefix>let a = <fim-suffix>;\n<fim-middle>'],
    ['codegemma', 'psm', 'src/a.ts\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>'],
    ['granite4', 'psm', '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>'],
    ['deepseek', 'psm', '<｜fim▁begin｜>let a = <｜fim▁hole｜>;\n<｜fim▁end｜>'],
    ['codellama', 'psm', '<PRE> let a =  <SUF>;\n <MID>'],
    ['codellama', 'spm', '<PRE> <SUF>;\n <MID> let a = '],
    ['codestral', 'spm', '[SUFFIX];\n[PREFIX]let a = '],
    ['glm', 'psm', '<|code_prefix|>let a = <|code_suffix|>;\n<|code_middle|>'],
  ];
  for (const [family, order, prompt] of alone) {
    it(`stands as its makers published it: ${family}, ${order}`, () => {
      assert.equal(rendered(family, order, DOCUMENT), prompt);
    });
  }

  it('is the same in every family where neither path nor files are known', () => {
    const bare = { prefix: 'let a = ', suffix: ';\n' };
    assert.equal(rendered('starcoder2', 'psm', bare), '<fim_prefix>let a = <fim_suffix>;\n<fim_middle>');
    assert.equal(rendered('codegemma', 'psm', bare), rendered('qwen', 'psm', bare));
  });

  it('stands behind other files and the name of the repository, each family its own way', () => {
    assert.equal(
      rendered('qwen', 'psm', WITH_FILES),
      '<|repo_name|>demo\n<|file_sep|>b.ts\nlet b;\n<|file_sep|>src/a.ts\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    );
    assert.equal(
      rendered('starcoder2', 'psm', WITH_FILES),
      '<repo_name>demo<file_sep>b.ts\nlet b;\n<file_sep><fim_prefix>src/a.ts\nlet a = <fim_suffix>;\n<fim_middle>',
    );
    assert.equal(
      rendered('codegemma', 'psm', WITH_FILES),
      'b.ts\nlet b;\n<|file_separator|>src/a.ts\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    );
    assert.equal(
      rendered('deepseek', 'psm', WITH_FILES),
      '<｜fim▁begin｜>#b.ts\nlet b;\n#src/a.ts\nlet a = <｜fim▁hole｜>;\n<｜fim▁end｜>',
    );
  });

  it('begins a line behind a file that ends without one, where the format has lines', () => {
    const document = { ...DOCUMENT, files: [{ path: 'b.ts', text: 'let b;' }] };
    assert.match(rendered('qwen', 'psm', document), /^<\|file_sep\|>b\.ts\nlet b;\n<\|file_sep\|>src/);
    assert.match(rendered('deepseek', 'psm', document), /#b\.ts\nlet b;\n#src/);
    assert.match(rendered('starcoder2', 'psm', document), /^<file_sep>b\.ts\nlet b;<file_sep>/);
  });

  it('stands alone where nothing is published about other files', () => {
    for (const family of ['starcoder', 'santacoder', 'granite4', 'codellama', 'codestral', 'glm']) {
      assert.equal(rendered(family, 'psm', WITH_FILES), rendered(family, 'psm', DOCUMENT), family);
    }
    assert.equal(
      promptText(renderFim(template(QWEN.slice(0, 3)), WITH_FILES)),
      '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    );
  });

  it('keeps spellings of markers inside text parts', () => {
    const parts = renderFim(template(QWEN, 'spm'), {
      prefix: 'x = "<|fim_middle|>"',
      suffix: '<|endoftext|>',
    });
    assert.deepEqual(parts.at(-1), { text: 'x = "<|fim_middle|>"', role: 'prefix' });
    assert.equal(parts.filter((part) => 'marker' in part).length, 3);
  });

  it('needs no template for the prefix alone', () => {
    assert.deepEqual(renderPrefixOnly(DOCUMENT), [{ text: 'let a = ', role: 'prefix' }]);
  });
});

describe('text with markers in it', () => {
  it('is split at the markers', () => {
    assert.deepEqual(splitMarkers('a<|fim_prefix|>b', QWEN), [
      { text: 'a', role: 'prefix' },
      { marker: '<|fim_prefix|>', role: 'marker' },
      { text: 'b', role: 'prefix' },
    ]);
  });

  it('is split at the markers as clients write them', () => {
    assert.deepEqual(splitMarkers('<PRE> a <SUF>', markersOf('codellama')), [
      { marker: '▁<PRE>', role: 'marker' },
      { text: ' a', role: 'prefix' },
      { marker: '▁<SUF>', role: 'marker' },
    ]);
  });

  it('is text where the model has none', () => {
    assert.deepEqual(splitMarkers('a<|fim_prefix|>b', []), [{ text: 'a<|fim_prefix|>b', role: 'prefix' }]);
  });
});

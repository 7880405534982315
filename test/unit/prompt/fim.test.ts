import assert from 'node:assert/strict';
import {
  chooseFimTemplate,
  promptText,
  renderFim,
  renderPrefixOnly,
  splitMarkers,
} from '../../../extension/common/prompt/fim.ts';
import { FIM_FAMILIES } from '../../../extension/common/prompt/fimFamilies.ts';

const QWEN = [
  '<|fim_prefix|>',
  '<|fim_suffix|>',
  '<|fim_middle|>',
  '<|fim_pad|>',
  '<|repo_name|>',
  '<|file_sep|>',
];
const DOCUMENT = { path: 'src/a.ts', prefix: 'let a = ', suffix: ';\n' };

function template(vocabulary: string[], order?: string) {
  const chosen = chooseFimTemplate(new Set(vocabulary), order);
  assert.ok(chosen);
  return chosen;
}

describe('fill-in-the-middle templates', () => {
  it('are chosen by the markers of the vocabulary', () => {
    assert.equal(template(QWEN).family, 'qwen');
    assert.equal(
      template(['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<file_sep>']).family,
      'starcoder',
    );
    assert.equal(template(['▁<PRE>', '▁<SUF>', '▁<MID>']).family, 'codellama');
    assert.equal(template(['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>']).family, 'deepseek');
    assert.equal(template(['[PREFIX]', '[SUFFIX]']).family, 'codestral');
  });

  it('are none when a marker is missing', () => {
    assert.equal(chooseFimTemplate(new Set(['<|fim_prefix|>', '<|fim_suffix|>']), 'spm'), null);
    assert.equal(chooseFimTemplate(new Set(['hello']), undefined), null);
  });

  it('take the order of the model file, else prefix, suffix, middle', () => {
    assert.equal(template(QWEN, 'spm').order, 'spm');
    assert.equal(template(QWEN).order, 'psm');
    assert.equal(template(QWEN, 'something else').order, 'psm');
    assert.equal(template(['[PREFIX]', '[SUFFIX]'], 'psm').order, 'spm');
  });

  it('render suffix, prefix, middle as the embedded model was trained', () => {
    assert.equal(
      promptText(renderFim(template(QWEN, 'spm'), DOCUMENT)),
      '<|file_sep|>src/a.ts\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = ',
    );
  });

  it('render prefix, suffix, middle', () => {
    assert.equal(
      promptText(renderFim(template(QWEN), DOCUMENT)),
      '<|file_sep|>src/a.ts\n<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    );
  });

  it('render Codestral with the prefix last', () => {
    assert.equal(
      promptText(renderFim(template(['[PREFIX]', '[SUFFIX]']), DOCUMENT)),
      '[SUFFIX];\n[PREFIX]let a = ',
    );
  });

  it('put other files in front, and leave out what the model has no marker for', () => {
    const document = { ...DOCUMENT, files: [{ path: 'b.ts', text: 'export const b = 1;\n' }] };
    assert.equal(
      promptText(renderFim(template(QWEN, 'spm'), document)),
      '<|file_sep|>b.ts\nexport const b = 1;\n<|file_sep|>src/a.ts\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = ',
    );
    assert.equal(
      promptText(renderFim(template(QWEN.slice(0, 3), 'psm'), document)),
      '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    );
  });

  it('keep marker spellings of a document inside text parts', () => {
    const parts = renderFim(template(QWEN, 'spm'), {
      prefix: 'x = "<|fim_middle|>"',
      suffix: '<|endoftext|>',
    });
    assert.deepEqual(parts.at(-1), { text: 'x = "<|fim_middle|>"', role: 'prefix' });
    assert.equal(parts.filter((part) => 'marker' in part).length, 3);
  });

  it('are not needed for the prefix alone', () => {
    assert.deepEqual(renderPrefixOnly(DOCUMENT), [{ text: 'let a = ', role: 'prefix' }]);
  });

  it('have markers that belong to one family only', () => {
    const required = FIM_FAMILIES.flatMap((family) => [family.prefix, family.suffix]);
    assert.equal(new Set(required).size, required.length);
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

  it('is text where the model has none', () => {
    assert.deepEqual(splitMarkers('a<|fim_prefix|>b', []), [{ text: 'a<|fim_prefix|>b', role: 'prefix' }]);
  });
});

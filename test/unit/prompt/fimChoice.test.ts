import assert from 'node:assert/strict';
import {
  chooseFimTemplate,
  FIM_CHOICES,
  fimChoiceProblem,
} from '../../../extension/common/prompt/fimChoice.ts';
import { FIM_FAMILIES, requiredMarkers } from '../../../extension/common/prompt/fimFamilies.ts';

const PIPED = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];
const QWEN = [...PIPED, '<|fim_pad|>', '<|repo_name|>', '<|file_sep|>'];
const PLAIN = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<fim_pad>'];

function choose(vocabulary: string[], order?: string, choice?: string) {
  return chooseFimTemplate(new Set(vocabulary), order, choice);
}

describe('the fill-in-the-middle template of a model', () => {
  const families: [family: string, why: string, vocabulary: string[]][] = [
    ['qwen', 'Qwen2.5-Coder', QWEN],
    ['qwen', 'its three markers alone', PIPED],
    ['codegemma', 'the same three and a file separator', [...PIPED, '<|file_separator|>']],
    ['granite4', 'the same three, and files and repositories', [...PIPED, '<|filename|>', '<|reponame|>']],
    ['starcoder2', 'StarCoder2', [...PLAIN, '<repo_name>', '<file_sep>']],
    ['starcoder', 'StarCoder, Refact and Granite Code', [...PLAIN, '<filename>', '<reponame>', '<gh_stars>']],
    ['codeqwen', 'CodeQwen1.5', [...PLAIN, '<reponame>', '<file_sep>']],
    ['santacoder', 'SantaCoder', ['<fim-prefix>', '<fim-suffix>', '<fim-middle>']],
    ['codellama', 'Code Llama', ['▁<PRE>', '▁<SUF>', '▁<MID>', '▁<EOT>']],
    ['deepseek', 'DeepSeek-Coder', ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>']],
    ['codestral', 'Codestral', ['[PREFIX]', '[MIDDLE]', '[SUFFIX]']],
    ['glm', 'GLM', ['<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>']],
  ];
  for (const [family, why, vocabulary] of families) {
    it(`is ${family} by the set of its markers: ${why}`, () => {
      assert.equal(choose(['a', ...vocabulary, 'b'])?.family, family);
      assert.equal(choose(vocabulary.toReversed())?.family, family);
    });
  }

  it('is none when a marker is missing', () => {
    for (const { name, prefix } of FIM_FAMILIES) {
      const family = families.find(([known]) => known === name)!;
      assert.equal(choose(family[2].filter((marker) => marker !== prefix)), null, name);
    }
    assert.equal(choose(['<|fim_prefix|>', '<|fim_suffix|>'], 'spm'), null);
    assert.equal(choose(['hello']), null);
  });

  it('takes the order of the model file, else prefix, suffix, middle', () => {
    assert.equal(choose(QWEN, 'spm')?.order, 'spm');
    assert.equal(choose(QWEN)?.order, 'psm');
    assert.equal(choose(QWEN, 'something else')?.order, 'psm');
    assert.equal(choose(['[PREFIX]', '[SUFFIX]'], 'psm')?.order, 'spm');
  });

  it('has those of its markers that the vocabulary has', () => {
    assert.deepEqual(choose(QWEN)!.markers.toSorted(), QWEN.toSorted());
    assert.deepEqual(choose(PIPED)!.markers, PIPED);
    assert.equal(choose(PIPED)!.layout, 'none');
  });
});

describe('the setting of the template', () => {
  it('takes the place of the order and of the family', () => {
    assert.equal(choose(QWEN, 'spm', 'psm')?.order, 'psm');
    assert.equal(choose(QWEN, undefined, 'spm')?.order, 'spm');
    const both = [...QWEN, '<|file_separator|>'];
    assert.equal(choose(both)?.family, 'codegemma');
    assert.equal(choose(both, undefined, 'qwen')?.family, 'qwen');
  });

  it('can be none: the prefix alone', () => {
    assert.equal(choose(QWEN, 'spm', 'none'), null);
    assert.equal(fimChoiceProblem(new Set(QWEN), 'none'), null);
  });

  it('is refused where the vocabulary lacks what it needs', () => {
    const problem = (vocabulary: string[], choice: string) => fimChoiceProblem(new Set(vocabulary), choice);
    assert.equal(problem(QWEN, 'qwen'), null);
    assert.equal(problem(QWEN, 'auto'), null);
    assert.equal(problem([], 'auto'), null);
    assert.match(problem(QWEN, 'codegemma')!, /has no <\|file_separator\|>$/);
    assert.match(problem(PLAIN, 'qwen')!, /has no <\|fim_prefix\|>, <\|fim_suffix\|>, <\|fim_middle\|>$/);
    assert.match(problem([], 'spm')!, /no fill-in-the-middle markers/);
    assert.match(problem(['[PREFIX]', '[SUFFIX]'], 'psm')!, /codestral has no middle marker/);
  });

  it('knows every family', () => {
    for (const family of FIM_FAMILIES) {
      assert.ok(FIM_CHOICES.includes(family.name));
      assert.equal(choose(requiredMarkers(family), undefined, family.name)?.family, family.name);
    }
    assert.equal(new Set(FIM_CHOICES).size, FIM_CHOICES.length);
  });
});

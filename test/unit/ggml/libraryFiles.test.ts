import assert from 'node:assert/strict';
import { libraryFiles } from '../../../trainer/ggml/library.ts';

describe('the libraries of a platform package', () => {
  const cases: [string, string[], string, string][] = [
    [
      'Linux, processor',
      ['libggml-base.so', 'libggml-cpu-x64.so', 'libggml.v0.5.0.so'],
      'libggml-base.so',
      'libggml.v0.5.0.so',
    ],
    [
      'Linux, CUDA',
      ['libggml-base.so', 'libggml-cuda.so', 'libggml.cuda.v0.5.0.so'],
      'libggml-base.so',
      'libggml.cuda.v0.5.0.so',
    ],
    [
      'Linux, Vulkan',
      ['libggml-base.so', 'libggml-vulkan.so', 'libggml.vulkan.v0.5.0.so'],
      'libggml-base.so',
      'libggml.vulkan.v0.5.0.so',
    ],
    [
      'macOS',
      ['libggml-base.dylib', 'libggml-metal.dylib', 'libggml.metal.v0.5.0.dylib'],
      'libggml-base.dylib',
      'libggml.metal.v0.5.0.dylib',
    ],
    ['Windows', ['ggml-base.dll', 'ggml-cpu-haswell.dll', 'ggml.dll'], 'ggml-base.dll', 'ggml.dll'],
  ];
  for (const [platform, names, base, registry] of cases)
    it(`are told from the back ends: ${platform}`, () => {
      assert.deepEqual(libraryFiles(names), { base, registry });
      assert.deepEqual(libraryFiles(names.toReversed()), { base, registry });
    });

  it('are missing where there are back ends alone', () => {
    assert.deepEqual(libraryFiles(['libggml-cuda.so', 'libllama.v0.5.0.so', 'llama-addon.node']), {
      base: undefined,
      registry: undefined,
    });
  });
});

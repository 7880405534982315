import assert from 'node:assert/strict';
import { CATALOGUE, MODEL_HUB, modelTitle, modelUrl } from '../../../extension/common/models/catalogue.ts';
import { CRASHED, fallbackSentence, MODEL_FAILURES } from '../../../extension/common/models/fallback.ts';
import { gigabytes, memoryNeeded } from '../../../extension/common/models/memory.ts';
import { coldMilliseconds, recommendModel } from '../../../extension/common/models/recommend.ts';
import { ERROR_STATUS } from '../../../trainer/server/shared/errors.ts';

const GIB = 2 ** 30;

describe('the recommended model', () => {
  const cases: [memoryGib: number, gpuGib: number | null, cores: number, id: string | null, why: RegExp][] = [
    [4, null, 2, null, /too little of 4 GB of memory/],
    [8, null, 16, null, /too little of 8 GB of memory/],
    [16, null, 2, null, /too late on 2 cores/],
    [16, null, 4, null, /too late on 4 cores/],
    [16, null, 8, 'qwen2.5-coder-0.5b-q8_0', /within a second on 8 cores/],
    [64, null, 16, 'qwen2.5-coder-0.5b-q8_0', /within a second on 16 cores/],
    [64, null, 32, 'qwen2.5-coder-1.5b-q4_k_m', /within a second on 32 cores/],
    [64, null, 64, 'qwen2.5-coder-1.5b-q8_0', /within a second on 64 cores/],
    [16, 2, 8, null, /too little of 2 GB of memory/],
    [16, 4, 2, 'qwen2.5-coder-0.5b-q8_0', /fits the graphics card, 4 GB/],
    [32, 8, 2, 'qwen2.5-coder-1.5b-q8_0', /fits the graphics card, 8 GB/],
    [128, 80, 32, 'qwen2.5-coder-1.5b-q8_0', /fits the graphics card, 80 GB/],
  ];
  for (const [memoryGib, gpuGib, cores, id, why] of cases) {
    it(`for ${memoryGib} GB, a card of ${gpuGib ?? 'none'}, ${cores} cores: ${id ?? 'embedded'}`, () => {
      const gpuMemoryBytes = gpuGib === null ? null : gpuGib * GIB;
      const { modelId, reason } = recommendModel({ memoryBytes: memoryGib * GIB, gpuMemoryBytes, cores });
      assert.equal(modelId, id);
      assert.match(reason, why);
    });
  }

  it('takes what is measured about the embedded model for its measure', () => {
    const embedded = { ...CATALOGUE[0]!, parameters: 135e6, bytes: 94.4e6 };
    // 640 ms on two cores of a server: its memory is slower than what is reckoned with.
    assert.ok(Math.abs(coldMilliseconds(embedded, 2) - 550) < 50, String(coldMilliseconds(embedded, 2)));
  });

  it('counts what serving and learning take', () => {
    const [small] = CATALOGUE;
    const { serving, learning } = memoryNeeded(small!, 4096);
    assert.equal(serving, small!.bytes + 4096 * 24 * 2 * 64 * 4 + 300 * 2 ** 20);
    assert.ok(learning > small!.bytes + small!.headParameters * 4);
    assert.deepEqual([94.4e6, 999_400_000, 1_646_573_056].map(gigabytes), ['94 MB', '999 MB', '1.6 GB']);
  });
});

describe('the catalogue', () => {
  it('names each file by a commit and a checksum', () => {
    for (const model of CATALOGUE) {
      assert.match(model.revision, /^[0-9a-f]{40}$/);
      assert.match(model.sha256, /^[0-9a-f]{64}$/);
      assert.match(model.file, /\.gguf$/);
      assert.equal(
        modelUrl(model, ''),
        `${MODEL_HUB}/${model.repository}/resolve/${model.revision}/${model.file}`,
      );
      assert.ok(modelUrl(model, 'http://mirror/hub/').startsWith(`http://mirror/hub/${model.repository}/`));
    }
    for (const values of [
      CATALOGUE.map(({ id }) => id),
      CATALOGUE.map(({ sha256 }) => sha256),
      CATALOGUE.map(modelTitle),
    ])
      assert.equal(new Set(values).size, CATALOGUE.length);
  });

  it('goes from small to large, which the recommendation counts on', () => {
    const sizes = CATALOGUE.map(({ bytes }) => bytes);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
  });

  it('says that the 3B models are not for commercial work', () => {
    for (const { name, licence } of CATALOGUE)
      assert.equal(licence.commercialUse, !name.endsWith('3B'), name);
  });
});

describe('a model that could not be loaded', () => {
  it('has a sentence for each error that is its own', () => {
    for (const code of Object.keys(MODEL_FAILURES)) {
      assert.ok(code === CRASHED || code in ERROR_STATUS, code);
      assert.match(
        fallbackSentence('/m.gguf', code),
        /^The model \/m\.gguf could not be loaded: .+\. The embedded/,
      );
    }
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFile } from '../../../trainer/inference/modelFile.ts';
import { modelFindings } from '../../../trainer/doctor/model.ts';
import { nativeFindings } from '../../../trainer/doctor/native.ts';
import { probe, type ProbeParts } from '../../../trainer/doctor/probe.ts';

const MODEL = {
  name: 'Tiny',
  architecture: 'llama',
  bytes: 5e6,
  contextTokens: 512,
  sha256: 'abc',
  fim: 'qwen, psm',
  untrainable: null,
};

/** A computer of the platform that the test runs on: only what rules a flavour out depends on that. */
const parts = (change: {
  gpus?: string[];
  cuda?: { installed: boolean; driver: boolean };
  vulkan?: { installed: boolean; driver: boolean };
}): ProbeParts => ({
  flavours: {
    found: [
      { flavour: 'cuda', installed: true, driver: false, ...change.cuda },
      { flavour: 'vulkan', installed: true, driver: false, ...change.vulkan },
      { flavour: 'metal', installed: false, driver: true },
      { flavour: 'cpu', installed: true, driver: true },
    ],
  },
  llama: { found: { build: 'v1', device: change.gpus ? 'cuda' : 'cpu', gpus: change.gpus ?? [] } },
  ggml: {
    found: {
      version: '1',
      flavour: 'cpu',
      device: change.gpus ? 'CUDA0' : 'CPU',
      isCpu: !change.gpus,
      gpus: [],
    },
  },
  model: { found: MODEL },
});

describe('what the native libraries find', () => {
  const gpu = (found: ProbeParts, choice: 'auto' | 'cpu' | 'cuda') =>
    nativeFindings({ parts: found, crash: null }, choice, 'm.gguf').find(({ check }) => check === 'gpu')!;
  const failed = { error: { code: 'gpu_unavailable', message: 'It does not run. Install the driver.' } };

  before(function () {
    if (process.platform === 'darwin') this.skip();
  });

  const cases: [string, ProbeParts, 'auto' | 'cpu' | 'cuda', string, RegExp, RegExp | null][] = [
    [
      'one GPU',
      parts({ gpus: ['H200'] }),
      'auto',
      'ok',
      /^Completions on cuda \(H200\), learning on CUDA0\.$/,
      null,
    ],
    [
      'none',
      parts({}),
      'auto',
      'ok',
      /^No GPU is used\. cuda: there is no NVIDIA driver.* vulkan: there is no Vulkan loader/,
      null,
    ],
    ['as asked for', parts({ gpus: ['H200'] }), 'cpu', 'ok', /as asked for/, null],
    [
      'no package',
      parts({ cuda: { installed: false, driver: true } }),
      'auto',
      'warning',
      /cuda: the driver is here, the package @node-llama-cpp\/\S+-cuda isn't\./,
      /npm install --no-save @node-llama-cpp/,
    ],
    [
      'no device',
      parts({ vulkan: { installed: true, driver: true } }),
      'auto',
      'warning',
      /vulkan: package and driver are here, and no device answers/,
      /`vulkaninfo`/,
    ],
    [
      'asked for in vain',
      { ...parts({}), llama: failed, ggml: failed },
      'cuda',
      'problem',
      /^No GPU is used\. cuda: there is no NVIDIA driver \(libcuda\) here\.$/,
      /--gpu cpu/,
    ],
  ];
  for (const [name, found, choice, status, text, remedy] of cases)
    it(name, () => {
      const finding = gpu(found, choice);
      assert.equal(finding.status, status);
      assert.match(finding.text, text);
      if (remedy === null) assert.equal(finding.remedy, undefined);
      else assert.match(finding.remedy!, remedy);
    });

  it('what is wrong in the words of the error', () => {
    const error = { error: { code: 'model_corrupt', message: 'It is damaged: fetch it again.' } };
    const found = nativeFindings(
      { parts: { ...parts({}), llama: failed, model: error }, crash: null },
      'auto',
      'm',
    );
    assert.deepEqual(
      found.filter(({ status }) => status === 'problem').map(({ check, text }) => [check, text]),
      [
        ['llama', 'It does not run. Install the driver.'],
        ['model', 'It is damaged: fetch it again.'],
      ],
    );
  });

  it('as far as they came before they ended their process', async () => {
    const line = JSON.stringify({ part: 'llama', found: { build: 'v1', device: 'cpu', gpus: [] } });
    const script = `console.log(${JSON.stringify(line)}); console.error('GGML_ASSERT(x) failed'); process.kill(process.pid, 'SIGABRT'); setTimeout(() => {}, 10000);`;
    const found = nativeFindings(await probe([process.execPath, '-e', script, '--']), 'auto', 'm');
    assert.deepEqual(
      found.map(({ check }) => check),
      ['llama', 'native'],
    );
    assert.match(found[1]!.text, /SIGABRT: .*GGML_ASSERT/s);
    assert.match(found[1]!.remedy!, /--gpu cpu/);
  });

  describe('of a model', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hone-doctor-model-'));
    const path = join(folder, 'tiny.gguf');
    const sha256 = createHash('sha256').update('x').digest('hex');
    after(() => rmSync(folder, { recursive: true }));

    it('says what it is, and that it can do without markers and learning', () => {
      assert.deepEqual(
        modelFindings(path, MODEL).map(({ status }) => status),
        ['ok', 'ok'],
      );
      const poor = modelFindings(path, { ...MODEL, fim: null, untrainable: 'Its rows are odd.' });
      assert.deepEqual(
        poor.map(({ status }) => status),
        ['ok', 'warning', 'warning'],
      );
      assert.match(poor[2]!.text, /nothing can be learned with it: Its rows are odd\./);
    });

    it('is a file, not the folder of one', async () => {
      await assert.rejects(
        readModelFile(folder),
        /is a folder, and a model is one file\. Give the path of a GGUF file/,
      );
    });

    it('holds its hash against the list beside it', () => {
      writeFileSync(join(folder, 'SHA256SUMS'), `${sha256}  tiny.gguf\n`);
      const check = (hash: string) =>
        modelFindings(path, { ...MODEL, sha256: hash }).find((one) => one.check === 'modelHash')!;
      assert.equal(check(sha256).status, 'ok');
      assert.equal(check('abc').status, 'problem');
      assert.match(check('abc').text, new RegExp(sha256));
      assert.equal(modelFindings(join(folder, 'other.gguf'), MODEL).length, 2);
    });
  });
});

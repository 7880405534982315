import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectModel, UnfitModelError } from '../../extension/node/models/inspectModel.ts';
import { modelSizes, whyUntrainable } from '../../trainer/inference/modelSizes.ts';
import { readModelFile } from '../../trainer/inference/modelFile.ts';
import { writeTinyModel, type TinyModelOptions } from '../fixtures/tinyModel.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'trainer', 'main.ts');

describe('a model file that is looked at before it is used', function () {
  this.timeout(60_000);
  let folder: string;
  const paths = { runtime: process.execPath, companionScript: MAIN };

  before(() => (folder = mkdtempSync(join(tmpdir(), 'hone-inspect-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function model(options: Partial<TinyModelOptions> = {}): string {
    const path = join(folder, 'model.gguf');
    writeTinyModel(path, options);
    return path;
  }

  async function refused(path: string): Promise<UnfitModelError> {
    const error = await inspectModel(paths, path).then(
      () => assert.fail('It was taken.'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof UnfitModelError, String(error));
    return error;
  }

  it('says what it is, what it can and what it takes', async () => {
    const path = model();
    const report = await inspectModel(paths, path);
    const { name, architecture, contextTokens, fim, untrainable, memory } = report;
    assert.deepEqual(
      { name, architecture, contextTokens, fim, untrainable },
      {
        name: 'tiny',
        architecture: 'llama',
        contextTokens: 512,
        fim: { family: 'qwen', order: 'spm' },
        untrainable: null,
      },
    );
    assert.equal(report.bytes, readFileSync(path).length);
    assert.ok(memory.serving > report.bytes && memory.learning > report.bytes);
  });

  it('says that it has no markers', async () => {
    assert.equal((await inspectModel(paths, model({ fim: false }))).fim, null);
  });

  it('is refused by what is wrong with it', async () => {
    assert.equal((await refused(join(folder, 'nowhere.gguf'))).code, 'model_missing');
    assert.match((await refused(model({ architecture: 'gpt2' }))).message, /"gpt2"/);
    const cut = model();
    truncateSync(cut, readFileSync(cut).length - 1000);
    assert.equal((await refused(cut)).code, 'model_corrupt');
    writeFileSync(cut, '<html>');
    assert.match((await refused(cut)).message, /does not begin with "GGUF"/);
  });

  it('is refused at once where it only begins as a model does', async () => {
    const path = join(folder, 'garbage.gguf');
    writeFileSync(path, 'GGUF, but broken off');
    await assert.rejects(readModelFile(path), /its version is \d+/);
    const header = Buffer.alloc(64);
    header.write('GGUF');
    header.writeUInt32LE(3, 4);
    header.writeBigUInt64LE(2n ** 40n, 16);
    writeFileSync(path, header);
    await assert.rejects(readModelFile(path), /no room for its 1099511627776 entries/);
  });

  it('is not let bring down more than the look', async () => {
    const crashing = join(folder, 'crashing.mjs');
    writeFileSync(crashing, 'process.kill(process.pid, "SIGSEGV");');
    const error = await inspectModel({ ...paths, companionScript: crashing }, model()).catch((e: Error) => e);
    assert.ok(error instanceof UnfitModelError);
    assert.match(error.message, /did not survive .*SIGSEGV/);
  });

  it('is measured by its metadata', async () => {
    const path = model({ biases: true, architecture: 'qwen2', tied: false });
    const info = await readModelFile(path);
    const { parameters, headParameters, cacheBytesPerToken } = modelSizes(path, info);
    assert.equal(cacheBytesPerToken, 3 * 2 * 16 * 4);
    assert.ok(parameters > 2 * headParameters && headParameters > 0);
    assert.equal(whyUntrainable(path, info), null);
  });

  it('is not learned with where the learner would refuse it', async () => {
    const path = model();
    const info = await readModelFile(path);
    const metadata = structuredClone(info.metadata) as unknown as { llama: Record<string, unknown> };
    metadata.llama.expert_count = 8;
    const mixture = Object.create(info, { metadata: { value: metadata } }) as typeof info;
    assert.match(whyUntrainable(path, mixture)!, /a mixture of experts, which Hone cannot train/);
  });
});

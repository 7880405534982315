import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGguf } from '../../trainer/ggml/gguf.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { testDevice } from './gradientCheck.ts';

describe('a GGUF file that is cut short', () => {
  let folder: string;
  let path: string;
  const open = () => readGguf(testDevice().ggml, path);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-gguf-'));
    path = join(folder, 'model.gguf');
    writeTinyModel(path);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is refused at once, with the first tensor that is not whole', () => {
    const last = [...open().tensors.values()].toSorted((a, b) => a.offset - b.offset).at(-1)!;
    truncateSync(path, last.offset + last.bytes - 1);
    assert.throws(open, (error: Error & { code: string }) => {
      assert.equal(error.code, 'model_corrupt');
      assert.ok(error.message.includes(path) && error.message.includes(last.name), error.message);
      return true;
    });
  });

  it('gives no zeros for what is missing when it shrinks after it was opened', () => {
    const file = open();
    const last = [...file.tensors.values()].toSorted((a, b) => a.offset - b.offset).at(-1)!;
    assert.equal(file.read(last.name).length, last.bytes);
    truncateSync(path, last.offset + 4);
    assert.throws(
      () => file.read(last.name),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'model_corrupt');
        assert.ok(error.message.includes(path) && error.message.includes(last.name), error.message);
        assert.ok(error.message.includes(`4 of ${last.bytes} bytes`), error.message);
        return true;
      },
    );
    assert.ok(statSync(path).size < last.offset + last.bytes);
  });
});

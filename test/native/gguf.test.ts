import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGguf, writeGguf } from '../../trainer/ggml/gguf.ts';
import { shapeOf } from '../../trainer/ggml/tensor.ts';
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

describe('a GGUF file that is written', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hone-gguf-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string) => {
    const tensor = { name: 'one', shape: shapeOf(2), data: new Float32Array([1, 2]) };
    writeGguf(testDevice().ggml, path, { step: { u32: 7 } }, [tensor]);
  };

  it('is there whole', () => {
    const path = join(folder, 'a.gguf');
    write(path);
    const file = readGguf(testDevice().ggml, path);
    assert.equal(file.values.get('step'), 7);
    assert.deepEqual(new Float32Array(file.read('one').buffer), new Float32Array([1, 2]));
    assert.deepEqual(readdirSync(folder), ['a.gguf']);
  });

  it('leaves nothing behind when it could not be written, and says so', () => {
    const taken = join(folder, 'taken.gguf');
    mkdirSync(join(taken, 'full'), { recursive: true });
    for (const path of [taken, join(folder, 'gone', 'a.gguf')])
      assert.throws(() => write(path), { code: 'write_failed', message: /could not be written/ });
    assert.deepEqual(readdirSync(folder), ['taken.gguf']);
  });
});

import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { GgmlError } from './errors.ts';
import type { Pointer } from './functions.ts';
import { readInt64s } from './koffi.ts';
import type { Ggml } from './library.ts';
import { elementsOf, shapeOf, TensorType, type Shape } from './tensor.ts';

interface GgufTensorInfo {
  name: string;
  type: number;
  shape: Shape;
  /** Byte offset in the file, and size. */
  offset: number;
  bytes: number;
}

/** A GGUF file's metadata and where its tensors lie. Arrays are given by their length only. */
export interface GgufFile {
  path: string;
  values: ReadonlyMap<string, string | number | boolean>;
  arrayLengths: ReadonlyMap<string, number>;
  tensors: ReadonlyMap<string, GgufTensorInfo>;
  /** Reads a tensor's bytes; throws GgmlError `model_corrupt` when it isn't there or not whole. */
  read(name: string): Uint8Array;
}

const STRING = 8;
const ARRAY = 9;

/**
 * Reads the metadata of a GGUF file.
 *
 * @throws GgmlError `model_missing`, `model_corrupt`
 */
export function readGguf(ggml: Ggml, path: string): GgufFile {
  if (!existsSync(path)) throw new GgmlError('model_missing', `There is no file ${path}.`);
  const file = ggml.gguf_init_from_file(path, { no_alloc: true, ctx: null });
  if (!file)
    throw new GgmlError('model_corrupt', `${path} is not a GGUF file, or is damaged. Fetch it again.`);
  try {
    const { values, arrayLengths } = readMetadata(ggml, file);
    const tensors = readTensorInfos(ggml, file);
    const { size } = statSync(path);
    const cut = [...tensors.values()].find(({ offset, bytes }) => offset + bytes > size);
    if (cut) throw cutShort(path, cut, Math.max(0, size - cut.offset));
    return { path, values, arrayLengths, tensors, read: (name) => readTensor(path, tensors.get(name), name) };
  } finally {
    ggml.gguf_free(file);
  }
}

/**
 * Writes a GGUF file of F32 tensors: under a temporary name, flushed, then renamed, so that the file is whole
 * or not there.
 *
 * @throws GgmlError `write_failed`
 */
export function writeGguf(
  ggml: Ggml,
  path: string,
  values: Record<string, string | { f32: number } | { u32: number }>,
  tensors: { name: string; shape: Shape; data: Float32Array }[],
): void {
  const bytes = tensors.reduce((sum, { data }) => sum + data.byteLength, 0);
  const mem_size = tensors.length * (ggml.ggml_tensor_overhead() + 64) + 1024;
  const context = ggml.ggml_init({ mem_size, mem_buffer: null, no_alloc: true });
  if (!context) throw new GgmlError('out_of_memory', 'No memory for a ggml context.');
  const file = ggml.gguf_init_empty();
  try {
    for (const [key, value] of Object.entries(values)) {
      if (typeof value === 'string') ggml.gguf_set_val_str(file, key, value);
      else if ('f32' in value) ggml.gguf_set_val_f32(file, key, value.f32);
      else ggml.gguf_set_val_u32(file, key, value.u32);
    }
    // gguf keeps the addresses that it is given, so the data is held in `held` until the file is written.
    const held = tensors.map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    tensors.forEach(({ name, shape, data }, i) => {
      if (elementsOf(shape) !== data.length) throw new RangeError(`${name} has ${data.length} elements.`);
      const tensor = ggml.ggml_new_tensor_4d(context, TensorType.F32, ...shape);
      ggml.ggml_set_name(tensor, name);
      ggml.gguf_add_tensor(file, tensor);
      ggml.gguf_set_tensor_data(file, name, held[i]!);
    });
    writeWhole(path, (temporary) => {
      if (!ggml.gguf_write_to_file(file, temporary, false) || statSync(temporary).size < bytes)
        throw new Error('not all of it was taken');
    });
  } finally {
    ggml.gguf_free(file);
    ggml.ggml_free(context);
  }
}

function writeWhole(path: string, write: (temporary: string) => void): void {
  const temporary = `${path}.part`;
  try {
    write(temporary);
    flush(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const why = (error as Error).message;
    throw new GgmlError('write_failed', `${path} could not be written (${why}). Is the disk full?`);
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function readMetadata(
  ggml: Ggml,
  file: Pointer,
): { values: Map<string, string | number | boolean>; arrayLengths: Map<string, number> } {
  const readers: Record<number, (index: number) => string | number | boolean> = {
    0: (i) => ggml.gguf_get_val_u8(file, i),
    1: (i) => ggml.gguf_get_val_i8(file, i),
    2: (i) => ggml.gguf_get_val_u16(file, i),
    3: (i) => ggml.gguf_get_val_i16(file, i),
    4: (i) => ggml.gguf_get_val_u32(file, i),
    5: (i) => ggml.gguf_get_val_i32(file, i),
    6: (i) => ggml.gguf_get_val_f32(file, i),
    7: (i) => ggml.gguf_get_val_bool(file, i),
    [STRING]: (i) => ggml.gguf_get_val_str(file, i),
    10: (i) => Number(ggml.gguf_get_val_u64(file, i)),
    11: (i) => Number(ggml.gguf_get_val_i64(file, i)),
    12: (i) => ggml.gguf_get_val_f64(file, i),
  };
  const values = new Map<string, string | number | boolean>();
  const arrayLengths = new Map<string, number>();
  for (let i = 0; i < ggml.gguf_get_n_kv(file); i++) {
    const key = ggml.gguf_get_key(file, i);
    const type = ggml.gguf_get_kv_type(file, i);
    if (type === ARRAY) arrayLengths.set(key, ggml.gguf_get_arr_n(file, i));
    else values.set(key, readers[type]!(i));
  }
  return { values, arrayLengths };
}

function readTensorInfos(ggml: Ggml, file: Pointer): Map<string, GgufTensorInfo> {
  const dataStart = ggml.gguf_get_data_offset(file);
  const tensors = new Map<string, GgufTensorInfo>();
  for (let i = 0; i < ggml.gguf_get_n_tensors(file); i++) {
    const name = ggml.gguf_get_tensor_name(file, i);
    tensors.set(name, {
      name,
      type: ggml.gguf_get_tensor_type(file, i),
      shape: shapeOf(...readInt64s(ggml.gguf_get_tensor_ne(file, i), 4)),
      offset: dataStart + ggml.gguf_get_tensor_offset(file, i),
      bytes: ggml.gguf_get_tensor_size(file, i),
    });
  }
  return tensors;
}

function readTensor(path: string, info: GgufTensorInfo | undefined, name: string): Uint8Array {
  if (!info) throw new GgmlError('model_corrupt', `${path} has no tensor ${name}.`);
  const bytes = new Uint8Array(info.bytes);
  const descriptor = openSync(path, 'r');
  try {
    // One read may give less than was asked for.
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(descriptor, bytes, done, bytes.length - done, info.offset + done);
      if (count === 0) throw cutShort(path, info, done);
      done += count;
    }
  } finally {
    closeSync(descriptor);
  }
  return bytes;
}

function cutShort(path: string, { name, bytes }: GgufTensorInfo, there: number): GgmlError {
  return new GgmlError(
    'model_corrupt',
    `${path} is cut short: of the tensor ${name}, ${there} of ${bytes} bytes are there. Put the whole file back.`,
  );
}

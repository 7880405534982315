/**
 * The few messages that TensorBoard needs for scalars, in protocol buffers' wire format: `Event` (wall_time 1, step 2,
 * file_version 3, summary 5) with a `Summary` of `Value`s (tag 1, simple_value 2), each in a record of length, data
 * and two masked checksums (TFRecord).
 */
import { maskedCrc32c } from './crc32c.ts';

/** First record of every file; a reader refuses what does not begin with it. */
const FILE_VERSION = 'brain.Event:2';

/** Of a record, around its data: length, checksum of it, checksum of the data. */
const FRAME_BYTES = 8 + 4 + 4;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The record that a file begins with. */
export function versionRecord(wallSeconds: number): Buffer {
  return record(Buffer.concat([wallTime(wallSeconds), text(3, FILE_VERSION)]));
}

/**
 * One record with the scalars of a step. What is not finite is left out: a curve has no point there.
 *
 * @param wallSeconds seconds since the epoch
 * @param scalars value by tag, written as 32-bit floats
 */
export function scalarRecord(wallSeconds: number, step: number, scalars: Record<string, number>): Buffer {
  const values = Object.entries(scalars)
    .filter(([, value]) => Number.isFinite(value))
    .map(([tag, value]) => bytes(1, Buffer.concat([text(1, tag), float(2, value)])));
  const summary = bytes(5, Buffer.concat(values));
  return record(Buffer.concat([wallTime(wallSeconds), key(2, VARINT), varint(step), summary]));
}

/**
 * The records of a file with the step of each; null: it has none, as the first. What follows the last whole record is
 * left out.
 */
export function stepsOf(file: Buffer): { step: number | null; bytes: Buffer }[] {
  const records: { step: number | null; bytes: Buffer }[] = [];
  for (let at = 0; at + FRAME_BYTES <= file.length;) {
    const end = at + FRAME_BYTES + Number(file.readBigUInt64LE(at));
    if (end > file.length) break;
    records.push({ step: stepOf(file.subarray(at + 12, end - 4)), bytes: file.subarray(at, end) });
    at = end;
  }
  return records;
}

/** Field 2 of an `Event` as this file writes it: right behind the wall time. */
function stepOf(event: Buffer): number | null {
  const at = 1 + 8;
  if (event[at] !== key(2, VARINT)[0]) return null;
  let step = 0;
  for (let index = at + 1, unit = 1; index < event.length; index++, unit *= 128) {
    step += (event[index]! % 128) * unit;
    if (event[index]! < 128) break;
  }
  return step;
}

/** `uint64 length, uint32 checksum of it, data, uint32 checksum of the data`, little-endian. */
function record(data: Buffer): Buffer {
  const framed = Buffer.alloc(8 + 4 + data.length + 4);
  framed.writeBigUInt64LE(BigInt(data.length), 0);
  framed.writeUInt32LE(maskedCrc32c(framed.subarray(0, 8)), 8);
  data.copy(framed, 12);
  framed.writeUInt32LE(maskedCrc32c(data), 12 + data.length);
  return framed;
}

function wallTime(seconds: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeDoubleLE(seconds);
  return Buffer.concat([key(1, FIXED64), value]);
}

function float(field: number, value: number): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeFloatLE(value);
  return Buffer.concat([key(field, FIXED32), bits]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value, 'utf8'));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([key(field, BYTES), varint(value.length), value]);
}

function key(field: number, wireType: number): Buffer {
  return varint(field * 8 + wireType);
}

/** Seven bits a byte, least first; the high bit says that more follow. Any whole number from 0 that is exact. */
function varint(value: number): Buffer {
  const result: number[] = [];
  let rest = value;
  while (rest >= 128) {
    result.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  result.push(rest);
  return Buffer.from(result);
}

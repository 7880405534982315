import assert from 'node:assert/strict';
import { scalarRecord, versionRecord } from '../../../trainer/board/event.ts';

const hex = (spaced: string): string => spaced.replaceAll(/\s/g, '');

describe('event records', () => {
  it('begin a file with its version', () => {
    const bytes = versionRecord(1.5).toString('hex');
    // Length 24 with its checksum, as every event file of TensorFlow begins.
    assert.equal(bytes.slice(0, 24), hex('18 00 00 00 00 00 00 00  a3 7f 4b 22'));
    // wall_time (1, double 1.5), file_version (3, 13 bytes).
    assert.equal(
      bytes.slice(24, 24 + 48),
      hex('09 00 00 00 00 00 00 f8 3f  1a 0d 62 72 61 69 6e 2e 45 76 65 6e 74 3a 32'),
    );
    assert.equal(bytes.length, 2 * (8 + 4 + 24 + 4));
  });

  it('hold wall time, step, and a tag with its value each', () => {
    const bytes = scalarRecord(1.5, 300, { 'a/b': 0.5, c: -2 });
    assert.equal(
      bytes.subarray(12, -4).toString('hex'),
      hex(`09 00 00 00 00 00 00 f8 3f
           10 ac 02
           2a 16
             0a 0a  0a 03 61 2f 62  15 00 00 00 3f
             0a 08  0a 01 63        15 00 00 00 c0`),
    );
    assert.equal(bytes.readBigUInt64LE(0), BigInt(bytes.length - 16));
  });

  it('count steps beyond 32 bits', () => {
    const bytes = scalarRecord(0, 2 ** 35, {});
    assert.equal(bytes.subarray(12 + 9, -4).toString('hex'), hex('10 80 80 80 80 80 01  2a 00'));
  });

  it('leave out what is not a finite number', () => {
    const whole = scalarRecord(0, 1, { a: 1 });
    assert.deepEqual(scalarRecord(0, 1, { nan: NaN, a: 1, infinite: -Infinity }), whole);
  });

  it('name tags in UTF-8', () => {
    assert.ok(scalarRecord(0, 1, { 'ü/β': 1 }).includes(Buffer.from([5, 0xc3, 0xbc, 0x2f, 0xce, 0xb2])));
  });
});

import assert from 'node:assert/strict';
import { crc32c, maskedCrc32c } from '../../../trainer/board/crc32c.ts';

describe('CRC-32C', () => {
  // The check value of the algorithm, and the examples of RFC 3720, appendix B.4.
  const cases: [string, Uint8Array, number][] = [
    ['digits', Buffer.from('123456789'), 0xe3069283],
    ['zeros', new Uint8Array(32), 0x8a9136aa],
    ['ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['rising', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
    ['falling', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
    ['nothing', new Uint8Array(0), 0],
  ];
  for (const [name, bytes, expected] of cases) it(`of ${name}`, () => assert.equal(crc32c(bytes), expected));

  it('is rotated by 15 bits and shifted by a constant in records', () => {
    // 0x8a9136aa rotated right by 15: 0x6d551522; plus 0xa282ead8, modulo 2^32.
    assert.equal(maskedCrc32c(new Uint8Array(32)), 0x0fd7fffa);
  });
});

import { createHash } from 'node:crypto';

/** Token ids as little-endian uint32. */
export function encodeTokens(tokens: number[]): Buffer {
  const buffer = Buffer.alloc(tokens.length * 4);
  tokens.forEach((token, index) => buffer.writeUInt32LE(token, index * 4));
  return buffer;
}

/** The reverse of `encodeTokens`. */
export function decodeTokens(buffer: Buffer): number[] {
  return Array.from({ length: buffer.length / 4 }, (_, index) => buffer.readUInt32LE(index * 4));
}

/** Log-probabilities as little-endian float32, NaN for one that was not asked for. */
export function encodeLogprobs(values: (number | null)[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => buffer.writeFloatLE(value ?? NaN, index * 4));
  return buffer;
}

/** The reverse of `encodeLogprobs`; null for NaN. */
export function decodeLogprobs(buffer: Buffer): (number | null)[] {
  return Array.from({ length: buffer.length / 4 }, (_, index) => {
    const value = buffer.readFloatLE(index * 4);
    return Number.isNaN(value) ? null : value;
  });
}

/** SHA-256 of a text, hex. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Text of byte-level BPE vocabularies, byte by byte as it is. */

const TYPE_USER_DEFINED = 4;
/** Bytes that GPT-2's vocabulary writes as the character of the same number; the others follow from 256 on. */
const PRINTED_BYTES = [
  [0x21, 0x7e],
  [0xa1, 0xac],
  [0xae, 0xff],
] as const;

/**
 * Ids to text from the spellings in the model file (Radford et al. 2019, `bytes_to_unicode`). llama.cpp's own function
 * drops the space in front of `!`, `?`, `.` and `,` for vocabularies whose kind it doesn't list, StarCoder's among
 * them, so that `a !== b` would lose one.
 */
export class ByteLevelText {
  readonly #bytes: readonly Uint8Array[];
  // A byte order mark in a text is text.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param types of the tokens; user-defined ones are spelled as they are. */
  constructor(spellings: readonly string[], types: readonly number[]) {
    const byteOf = bytesByCharacter();
    const encoder = new TextEncoder();
    this.#bytes = spellings.map((spelling, id) => {
      const bytes = Array.from(spelling, (character) => byteOf.get(character));
      const isPlain = types[id] === TYPE_USER_DEFINED || bytes.includes(undefined);
      return isPlain ? encoder.encode(spelling) : Uint8Array.from(bytes as number[]);
    });
  }

  /** U+FFFD stands for bytes that are no character, as at the end of half of one. */
  decode(ids: readonly number[]): string {
    return this.#decoder.decode(Buffer.concat(ids.map((id) => this.#bytes[id]!)));
  }
}

function bytesByCharacter(): Map<string, number> {
  const isPrinted = (byte: number): boolean => PRINTED_BYTES.some(([from, to]) => byte >= from && byte <= to);
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const others = bytes.filter((byte) => !isPrinted(byte));
  return new Map(
    bytes.map((byte) => [String.fromCodePoint(isPrinted(byte) ? byte : 256 + others.indexOf(byte)), byte]),
  );
}

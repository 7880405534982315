/** A part of the file index that doesn't change any more, in three flat arrays. */

/** A file of a segment; shared with the index, which marks it when it is gone. */
export interface FileEntry {
  path: string;
  /** Words in it, repeated ones counted again. */
  words: number;
  alive: boolean;
}

/** A posting: a file's number in its segment above, how often the word stands there below. */
const COUNT_BITS = 16;
const COUNT_MAX = 2 ** COUNT_BITS - 1;

/** How often a word stands in the files of a segment that are still there. */
export type EachPosting = (file: number, count: number) => void;

/** The posting of a word that stands `count` times in a file; more than 65,535 times is as good as that. */
export function postingOf(file: number, count: number): number {
  return file * 2 ** COUNT_BITS + Math.min(count, COUNT_MAX);
}

/** Takes a posting apart, for each of the files that are still there. */
export function eachAlive(
  postings: ArrayLike<number>,
  from: number,
  to: number,
  files: readonly FileEntry[],
  act: EachPosting,
): void {
  for (let at = from; at < to; at++) {
    const posting = postings[at]!;
    const file = posting >>> COUNT_BITS;
    if (files[file]!.alive) act(file, posting & COUNT_MAX);
  }
}

/** Postings by word, sorted by the words' hashes: a word is found by bisection. */
export class Segment {
  readonly files: readonly FileEntry[];
  /** Ascending, one a word. */
  readonly #hashes: Uint32Array;
  /** Where a word's postings begin; one more than there are words. */
  readonly #starts: Uint32Array;
  readonly #postings: Uint32Array;

  constructor(files: readonly FileEntry[], words: ReadonlyMap<number, readonly number[]>) {
    this.files = files;
    this.#hashes = Uint32Array.from(words.keys()).sort();
    this.#starts = new Uint32Array(this.#hashes.length + 1);
    let total = 0;
    this.#hashes.forEach((hash, word) => {
      this.#starts[word] = total;
      total += words.get(hash)!.length;
    });
    this.#starts[this.#hashes.length] = total;
    this.#postings = new Uint32Array(total);
    this.#hashes.forEach((hash, word) => this.#postings.set(words.get(hash)!, this.#starts[word]));
  }

  get bytes(): number {
    return this.#hashes.byteLength + this.#starts.byteLength + this.#postings.byteLength;
  }

  /** In how many files of the segment a word stands, gone ones included. */
  count(hash: number): number {
    const word = this.#find(hash);
    return word === undefined ? 0 : this.#starts[word + 1]! - this.#starts[word]!;
  }

  forEach(hash: number, act: EachPosting): void {
    const word = this.#find(hash);
    if (word !== undefined) this.#each(word, act);
  }

  /** Every word's hash, and its postings through `act`. */
  forEachWord(act: (hash: number, file: number, count: number) => void): void {
    this.#hashes.forEach((hash, word) => this.#each(word, (file, count) => act(hash, file, count)));
  }

  #find(hash: number): number | undefined {
    let low = 0;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashes[middle]! < hash) low = middle + 1;
      else high = middle;
    }
    return this.#hashes[low] === hash ? low : undefined;
  }

  #each(word: number, act: EachPosting): void {
    eachAlive(this.#postings, this.#starts[word]!, this.#starts[word + 1]!, this.files, act);
  }
}

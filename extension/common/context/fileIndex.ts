/** Which files of a workspace have words in common with the code around the caret: BM25 over whole files. */
import { eachAlive, postingOf, Segment, type EachPosting, type FileEntry } from './segment.ts';
import { wordsOf } from './words.ts';

/** Okapi BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;
/** Files of a segment, gone ones included; fewer than 65,536, which is what a posting has room for. */
const SEGMENT_FILES = 1024;
/** A segment with a smaller share of files that are still there is written anew. */
const ALIVE_SHARE_MIN = 0.5;
/**
 * Postings that one query looks at: the rarest words come first, and a word that stands in a large part of the
 * workspace would cost milliseconds and tell nothing.
 */
const QUERY_POSTINGS_MAX = 60_000;

/** A word and how much it counts in a query. */
export type QueryWords = ReadonlyMap<string, number>;

export interface FileMatch {
  path: string;
  score: number;
}

/** Files of which the postings may still grow. */
interface OpenSegment {
  files: FileEntry[];
  words: Map<number, number[]>;
}

/**
 * An inverted index from words to files. It keeps no text and no words, only their 32-bit hashes (of a million words
 * one in about four thousand shares its hash with another, which does a ranking no harm): four bytes a distinct word
 * of a file and a little more, tens of megabytes for 50,000 files of code.
 *
 * New files go to an open segment. When it is full it is packed into flat arrays and never changed again; a file that
 * goes is only marked. Segments of which half has gone are emptied into the open one.
 */
export class FileIndex {
  readonly #places = new Map<string, { entry: FileEntry; segment: Segment | null }>();
  readonly #segments = new Map<Segment, { alive: number }>();
  #open: OpenSegment = { files: [], words: new Map() };
  #wordsTotal = 0;

  get size(): number {
    return this.#places.size;
  }

  /** Bytes of the packed segments. */
  get bytes(): number {
    return [...this.#segments.keys()].reduce((sum, segment) => sum + segment.bytes, 0);
  }

  has(path: string): boolean {
    return this.#places.has(path);
  }

  /** Paths of all files, in no order that means anything. */
  paths(): string[] {
    return [...this.#places.keys()];
  }

  /** Adds a file, or puts another text in its place. */
  set(path: string, text: string): void {
    this.delete(path);
    const words = wordsOf(text);
    const counts = new Map<number, number>();
    for (const word of words) {
      const hash = hashOf(word);
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
    const file = this.#addEntry({ path, words: words.length, alive: true });
    for (const [hash, count] of counts) this.#addPosting(hash, file, count);
    this.#wordsTotal += words.length;
    if (this.#open.files.length >= SEGMENT_FILES) this.#pack();
  }

  /** Takes a file out; one that isn't there is ignored. */
  delete(path: string): void {
    const place = this.#places.get(path);
    if (place === undefined) return;
    const { entry, segment } = place;
    entry.alive = false;
    this.#places.delete(path);
    this.#wordsTotal -= entry.words;
    if (segment === null) return;
    const facts = this.#segments.get(segment)!;
    facts.alive--;
    if (facts.alive < segment.files.length * ALIVE_SHARE_MIN) this.#unpack(segment);
  }

  /** Inverse document frequency of a word, BM25's, never below 0. */
  weight(word: string): number {
    return this.#weightOf(this.#filesWith(hashOf(word)));
  }

  /**
   * BM25 of the files that have a word of the query (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
   * 2009), the `most` best ones, in no order.
   */
  match(query: QueryWords, most = Infinity): FileMatch[] {
    const weighed = this.#affordable(query).map(({ hash, times }) => ({
      hash,
      weight: times * this.#weightOf(this.#filesWith(hash)),
    }));
    const matches: FileMatch[] = [];
    for (const segment of this.#segments.keys())
      this.#matchIn(segment.files, weighed, (hash, act) => segment.forEach(hash, act), matches);
    this.#matchIn(this.#open.files, weighed, (hash, act) => this.#forEachOpen(hash, act), matches);
    if (matches.length <= most) return matches;
    const scores = Float64Array.from(matches, ({ score }) => score).sort();
    const least = scores[scores.length - most]!;
    return matches.filter(({ score }) => score >= least).slice(0, most);
  }

  /** Hashes of a query's words, the rarest ones as far as `QUERY_POSTINGS_MAX` goes. */
  #affordable(query: QueryWords): { hash: number; times: number }[] {
    const words = [...query].map(([word, times]) => {
      const hash = hashOf(word);
      let postings = this.#open.words.get(hash)?.length ?? 0;
      for (const segment of this.#segments.keys()) postings += segment.count(hash);
      return { hash, times, postings };
    });
    words.sort((left, right) => left.postings - right.postings);
    let left = QUERY_POSTINGS_MAX;
    return words.filter(({ postings }) => (left -= postings) >= 0);
  }

  #matchIn(
    files: readonly FileEntry[],
    words: readonly { hash: number; weight: number }[],
    forEach: (hash: number, act: EachPosting) => void,
    matches: FileMatch[],
  ): void {
    const meanWords = this.#wordsTotal / Math.max(1, this.size);
    // scores: [files of the segment]
    const scores = new Float64Array(files.length);
    for (const { hash, weight } of words)
      forEach(hash, (file, count) => {
        const norm = K1 * (1 - B + (B * files[file]!.words) / meanWords);
        scores[file]! += (weight * count * (K1 + 1)) / (count + norm);
      });
    scores.forEach((score, file) => {
      if (score > 0) matches.push({ path: files[file]!.path, score });
    });
  }

  #weightOf(files: number): number {
    return Math.log(1 + (this.size - files + 0.5) / (files + 0.5));
  }

  /** In how many files a word stands. */
  #filesWith(hash: number): number {
    let files = 0;
    const count = () => void files++;
    for (const segment of this.#segments.keys()) segment.forEach(hash, count);
    this.#forEachOpen(hash, count);
    return files;
  }

  #forEachOpen(hash: number, act: EachPosting): void {
    const postings = this.#open.words.get(hash);
    if (postings !== undefined) eachAlive(postings, 0, postings.length, this.#open.files, act);
  }

  /** The file's number in the open segment. */
  #addEntry(entry: FileEntry): number {
    this.#places.set(entry.path, { entry, segment: null });
    return this.#open.files.push(entry) - 1;
  }

  #addPosting(hash: number, file: number, count: number): void {
    const postings = this.#open.words.get(hash);
    if (postings === undefined) this.#open.words.set(hash, [postingOf(file, count)]);
    else postings.push(postingOf(file, count));
  }

  /** Makes the open segment a packed one, without what has gone since. */
  #pack(): void {
    const { files, words } = this.#open;
    const alive = files.filter((file) => file.alive);
    this.#open = { files: [], words: new Map() };
    if (alive.length < files.length * ALIVE_SHARE_MIN) {
      // Mostly the same few documents, edited again and again.
      this.#refill(files, (act) => {
        for (const [hash, postings] of words)
          eachAlive(postings, 0, postings.length, files, (file, count) => act(hash, file, count));
      });
      return;
    }
    const segment = new Segment(files, words);
    this.#segments.set(segment, { alive: alive.length });
    for (const entry of alive) this.#places.set(entry.path, { entry, segment });
  }

  /** Moves what is left of a packed segment into the open one. */
  #unpack(segment: Segment): void {
    this.#segments.delete(segment);
    this.#refill(segment.files, (act) => segment.forEachWord(act));
    if (this.#open.files.length >= SEGMENT_FILES) this.#pack();
  }

  #refill(
    files: readonly FileEntry[],
    forEach: (act: (hash: number, file: number, count: number) => void) => void,
  ): void {
    const moved = files.map((file) => (file.alive ? this.#addEntry(file) : -1));
    forEach((hash, file, count) => this.#addPosting(hash, moved[file]!, count));
  }
}

/** FNV-1a over the UTF-16 units (Fowler, Noll and Vo), 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

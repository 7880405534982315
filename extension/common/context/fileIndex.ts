/** Which files of a workspace have words in common with the code around the caret: BM25 over whole files. */
import { wordsOf } from './words.ts';

/** Okapi BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;
/** Removed files leave dead postings; they are swept when this share of all postings is dead. */
const DEAD_SHARE_MAX = 0.25;

/** A word and how much it counts in a query. */
export type QueryWords = ReadonlyMap<string, number>;

export interface FileMatch {
  path: string;
  score: number;
}

/** Ids and counts of the files that have a word, in growing arrays. */
interface Postings {
  files: Uint32Array;
  counts: Uint16Array;
  length: number;
  /** How many of them are of files that are still there. */
  alive: number;
}

/**
 * An inverted index from words to files. It keeps no text: about eight bytes a distinct word of a file, so 50,000
 * files of code take tens of megabytes.
 */
export class FileIndex {
  readonly #postings = new Map<string, Postings>();
  readonly #ids = new Map<string, number>();
  #paths: (string | undefined)[] = [];
  #lengths: number[] = [];
  /** Distinct words of each file, to take them back. */
  #words: (string[] | undefined)[] = [];
  #wordsTotal = 0;
  #postingsTotal = 0;
  #dead = 0;

  get size(): number {
    return this.#ids.size;
  }

  /** Distinct words that it keeps. */
  get wordCount(): number {
    return this.#postings.size;
  }

  has(path: string): boolean {
    return this.#ids.has(path);
  }

  /** Adds a file, or puts another text in its place. */
  set(path: string, text: string): void {
    this.delete(path);
    const id = this.#paths.length;
    const counts = new Map<string, number>();
    const words = wordsOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) push(this.#entry(word), id, count);
    this.#ids.set(path, id);
    this.#paths.push(path);
    this.#lengths.push(words.length);
    this.#words.push([...counts.keys()]);
    this.#wordsTotal += words.length;
    this.#postingsTotal += counts.size;
  }

  /** Takes a file out; one that isn't there is ignored. */
  delete(path: string): void {
    const id = this.#ids.get(path);
    if (id === undefined) return;
    const words = this.#words[id]!;
    for (const word of words) this.#postings.get(word)!.alive--;
    this.#ids.delete(path);
    this.#paths[id] = undefined;
    this.#words[id] = undefined;
    this.#wordsTotal -= this.#lengths[id]!;
    this.#dead += words.length;
    if (this.#dead > this.#postingsTotal * DEAD_SHARE_MAX) this.#sweep();
  }

  /** Inverse document frequency of a word, BM25's, never below 0. */
  weight(word: string): number {
    const files = this.#postings.get(word)?.alive ?? 0;
    return Math.log(1 + (this.#ids.size - files + 0.5) / (files + 0.5));
  }

  /**
   * BM25 of every file that has a word of the query (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
   * 2009), in no order.
   */
  match(query: QueryWords): FileMatch[] {
    const scores = new Map<number, number>();
    const meanLength = this.#wordsTotal / Math.max(1, this.#ids.size);
    for (const [word, times] of query) {
      const postings = this.#postings.get(word);
      if (postings === undefined) continue;
      const weight = times * this.weight(word);
      for (let i = 0; i < postings.length; i++) {
        const id = postings.files[i]!;
        if (this.#paths[id] === undefined) continue;
        const count = postings.counts[i]!;
        const norm = K1 * (1 - B + (B * this.#lengths[id]!) / meanLength);
        scores.set(id, (scores.get(id) ?? 0) + (weight * count * (K1 + 1)) / (count + norm));
      }
    }
    return [...scores].map(([id, score]) => ({ path: this.#paths[id]!, score }));
  }

  #entry(word: string): Postings {
    const known = this.#postings.get(word);
    if (known !== undefined) return known;
    const fresh = emptyPostings();
    this.#postings.set(word, fresh);
    return fresh;
  }

  /** Drops what is kept of files that are gone, and numbers the others anew. */
  #sweep(): void {
    const files = [...this.#ids].map(([path, id]) => ({ path, id }));
    const newIds = new Map(files.map(({ id }, newId) => [id, newId]));
    this.#postingsTotal = 0;
    this.#dead = 0;
    for (const [word, postings] of this.#postings) {
      const kept = emptyPostings();
      for (let i = 0; i < postings.length; i++) {
        const id = newIds.get(postings.files[i]!);
        if (id !== undefined) push(kept, id, postings.counts[i]!);
      }
      if (kept.length === 0) this.#postings.delete(word);
      else this.#postings.set(word, kept);
      this.#postingsTotal += kept.length;
    }
    this.#lengths = files.map(({ id }) => this.#lengths[id]!);
    this.#words = files.map(({ id }) => this.#words[id]);
    this.#paths = files.map(({ path }) => path);
    files.forEach(({ path }, newId) => this.#ids.set(path, newId));
  }
}

function emptyPostings(): Postings {
  return { files: new Uint32Array(1), counts: new Uint16Array(1), length: 0, alive: 0 };
}

function push(postings: Postings, file: number, count: number): void {
  if (postings.length === postings.files.length) {
    const files = new Uint32Array(postings.length * 2);
    const counts = new Uint16Array(postings.length * 2);
    files.set(postings.files);
    counts.set(postings.counts);
    postings.files = files;
    postings.counts = counts;
  }
  postings.files[postings.length] = file;
  postings.counts[postings.length] = Math.min(count, 0xffff);
  postings.length++;
  postings.alive++;
}

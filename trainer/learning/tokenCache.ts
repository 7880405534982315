import { LRUCache } from 'lru-cache';
import type { Network } from '../model/network.ts';
import { tokenTree, type TokenTree } from '../model/sequence.ts';

/** A token tree with the output of the constant layers: what every epoch and gate of an event shares. */
interface PreparedTree {
  tree: TokenTree;
  /** [T × width] */
  lower: Float32Array;
}

/** Computes the lower layers of each tree once and keeps the output while memory allows. */
export class TokenCache {
  readonly #network: Network;
  readonly #kept: LRUCache<string, PreparedTree>;

  constructor(network: Network, maxBytes: number) {
    this.#network = network;
    this.#kept = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ lower }) => lower.byteLength,
    });
  }

  /** The tree of a prompt with its branches and its lower output [T × width]; computed, or as it was kept. */
  async prepare(prompt: number[], branches: number[][]): Promise<PreparedTree> {
    const key = [prompt, ...branches].map((tokens) => tokens.join(' ')).join('|');
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const tree = tokenTree(prompt, branches);
    const prepared = { tree, lower: await this.#network.lower(tree) };
    this.#kept.set(key, prepared);
    return prepared;
  }
}

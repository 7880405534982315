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
    const key = keyOf(prompt, branches);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const tree = tokenTree(prompt, branches);
    const prepared = { tree, lower: await this.#network.lower(tree) };
    this.#kept.set(key, prepared);
    return prepared;
  }

  /** Takes over a lower output [T × width] that was computed before. */
  put(prompt: number[], branches: number[][], lower: Float32Array): void {
    this.#kept.set(keyOf(prompt, branches), { tree: tokenTree(prompt, branches), lower });
  }
}

function keyOf(prompt: number[], branches: number[][]): string {
  return [prompt, ...branches].map((tokens) => tokens.join(' ')).join('|');
}

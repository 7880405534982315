import { LRUCache } from 'lru-cache';
import type { Score, ScoreItem } from '../../extension/common/contracts/index.ts';
import type { DeviceLora } from '../model/lora.ts';
import type { HeadRequest, HeadResult, Network } from '../model/network.ts';
import { branchTargets } from '../model/sequence.ts';
import type { BaseResult, KeptScores } from './keptScores.ts';
import type { TokenCache } from './tokenCache.ts';

/** Base scores and states kept: each is a few kilobytes to 200 KB. */
const MAX_BASE_RESULTS = 512;
/** Scores under adapters kept, so that a promoted candidate need not be scored again as the running adapter. */
const MAX_ADAPTER_SCORES = 4096;

/** An adapter on the device, and the file it came from. */
export interface ScoredAdapter {
  lora: DeviceLora;
  path: string;
}

/** Scores what was really typed, teacher-forced, under the base or an adapter. */
export class Scorer {
  readonly #network: Network;
  readonly #cache: TokenCache;
  readonly #endTokens: ReadonlySet<number>;
  readonly #kept: KeptScores | null;
  readonly #base = new LRUCache<string, BaseResult>({ max: MAX_BASE_RESULTS });
  readonly #adapter = new LRUCache<string, Score>({ max: MAX_ADAPTER_SCORES });

  /** @param kept where results of the base are kept for the next learner; null: nowhere */
  constructor(network: Network, cache: TokenCache, endTokens: number[], kept: KeptScores | null = null) {
    this.#network = network;
    this.#cache = cache;
    this.#endTokens = new Set(endTokens);
    this.#kept = kept;
  }

  /** Scores of the items in their order; null: the base model. `onItem` is told after each. */
  async score(
    items: ScoreItem[],
    adapter: ScoredAdapter | null,
    onItem: () => void = () => {},
  ): Promise<Score[]> {
    const scores: Score[] = [];
    for (const item of items) {
      scores.push(adapter ? await this.#scoreAdapter(item, adapter) : (await this.#scoreBase(item)).score);
      onItem();
    }
    return scores;
  }

  /**
   * Keeps what the base makes of the items for the next learner, where it is not kept yet.
   *
   * @throws GgmlError `write_failed`
   */
  async keep(items: ScoreItem[]): Promise<void> {
    const kept = this.#kept;
    if (kept === null || items.every((item) => kept.get(item) !== null)) return;
    const entries = [];
    for (const item of items) {
      const { lower } = (await this.#prepare(item)).prepared;
      entries.push({ item, kept: { ...(await this.#scoreBase(item)), lower } });
    }
    kept.write(entries);
  }

  async #scoreBase(item: ScoreItem): Promise<BaseResult> {
    const key = keyOf(item);
    const known = this.#base.get(key) ?? this.#takeKept(item);
    if (known) return known;
    const { prepared, head } = await this.#prepare(item);
    const [result] = await this.#network.score(prepared.tree, prepared.lower, {
      lora: null,
      heads: [head],
      wantArgmax: true,
      wantHidden: true,
    });
    const base = { score: this.#summarise(item, result!), hidden: result!.hidden };
    this.#base.set(key, base);
    return base;
  }

  #takeKept(item: ScoreItem): BaseResult | null {
    const kept = this.#kept?.get(item);
    if (!kept) return null;
    const { lower, ...base } = kept;
    this.#cache.put(item.prompt, [this.#branchOf(item)], lower);
    this.#base.set(keyOf(item), base);
    return base;
  }

  async #scoreAdapter(item: ScoreItem, { lora, path }: ScoredAdapter): Promise<Score> {
    const key = [path, lora.scale, keyOf(item)].join('|');
    const known = this.#adapter.get(key);
    if (known) return known;
    const { hidden } = await this.#scoreBase(item);
    const { prepared, head } = await this.#prepare(item);
    const [result] = await this.#network.score(prepared.tree, prepared.lower, {
      lora,
      heads: [head],
      wantArgmax: true,
      reference: [hidden],
    });
    const score = this.#summarise(item, result!);
    this.#adapter.set(key, score);
    return score;
  }

  async #prepare(
    item: ScoreItem,
  ): Promise<{ prepared: Awaited<ReturnType<TokenCache['prepare']>>; head: HeadRequest }> {
    const branch = this.#branchOf(item);
    const prepared = await this.#cache.prepare(item.prompt, [branch]);
    return { prepared, head: { ...branchTargets(prepared.tree, 0, branch), temperatures: [1] } };
  }

  /** One token more than a target without an end: the row after it tells whether the model ends the line there. */
  #branchOf(item: ScoreItem): number[] {
    const last = item.target.at(-1)!;
    return this.#endTokens.has(last) ? item.target : [...item.target, last];
  }

  #summarise(item: ScoreItem, result: HeadResult): Score {
    const n = item.target.length;
    const logprobs = result.logprobs.get(1)!.subarray(0, n);
    const kl = result.kl.subarray(0, n);
    const mean = (values: Float32Array): number =>
      values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length);
    const ends = (id: number): boolean => this.#endTokens.has(id);
    const argmax = [...result.argmax.subarray(0, n)];
    // The last row is the one that must end the line, by whichever end token.
    const lastRow = result.argmax.length - 1;
    const matches = (id: number, row: number): boolean => row === lastRow || result.argmax[row] === id;
    return {
      id: item.id,
      logprob: logprobs.reduce((sum, x) => sum + x, 0),
      tokens: n,
      exact: item.target.every(matches) && ends(result.argmax[lastRow]!),
      silent: ends(result.argmax[0]!),
      length: argmax.findIndex(ends) === -1 ? n : argmax.findIndex(ends),
      repeated: argmax.filter((id, row) => id === (row === 0 ? item.prompt.at(-1) : item.target[row - 1]))
        .length,
      kl: Math.max(0, mean(kl)),
    };
  }
}

function keyOf(item: ScoreItem): string {
  return [item.id, item.prompt.join(' '), item.target.join(' ')].join('|');
}

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Score, ScoreItem } from '../../extension/common/contracts/index.ts';
import { GgmlError } from '../ggml/errors.ts';
import { readGguf, writeGguf, type GgufFile } from '../ggml/gguf.ts';
import type { Ggml } from '../ggml/library.ts';
import { shapeOf } from '../ggml/tensor.ts';

const IDENTITY = 'hone.kept.identity';

/** What the base model makes of a text: constant for as long as model, device and layers are the same. */
export interface BaseResult {
  score: Score;
  /** Normalised hidden states of the base at the scored rows, for the exact KL: [R × width]. */
  hidden: Float32Array;
}

interface Kept extends BaseResult {
  /** Output of the constant layers: [T × width]. */
  lower: Float32Array;
}

/**
 * Results of the base model in a file, from one learner to the next: of the general code that every gate asks about,
 * and of nothing that a developer wrote. A file that is damaged, or of another `identity`, counts as none.
 */
export class KeptScores {
  readonly #ggml: Ggml;
  readonly #path: string;
  readonly #identity: string;
  #file: GgufFile | null;

  /** @param identity names all that the results depend on beside the text */
  constructor(ggml: Ggml, path: string, identity: string) {
    this.#ggml = ggml;
    this.#path = path;
    this.#identity = identity;
    this.#file = this.#open();
  }

  /** Null: not kept. */
  get(item: ScoreItem): Kept | null {
    const name = nameOf(item);
    const score = this.#file?.values.get(name);
    if (typeof score !== 'string') return null;
    try {
      return {
        score: { ...(JSON.parse(score) as Score), id: item.id },
        hidden: this.#floats(`${name}.hidden`),
        lower: this.#floats(`${name}.lower`),
      };
    } catch (error) {
      if (!(error instanceof GgmlError)) throw error;
      this.#file = null;
      return null;
    }
  }

  /**
   * Keeps these and nothing else.
   *
   * @throws GgmlError `write_failed`
   */
  write(entries: { item: ScoreItem; kept: Kept }[]): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const values: Record<string, string> = { [IDENTITY]: this.#identity };
    for (const { item, kept } of entries) values[nameOf(item)] = JSON.stringify(kept.score);
    const tensors = entries.flatMap(({ item, kept }) =>
      (['hidden', 'lower'] as const).map((part) => ({
        name: `${nameOf(item)}.${part}`,
        shape: shapeOf(kept[part].length),
        data: kept[part],
      })),
    );
    writeGguf(this.#ggml, this.#path, values, tensors);
    this.#file = this.#open();
  }

  #open(): GgufFile | null {
    if (!existsSync(this.#path)) return null;
    try {
      const file = readGguf(this.#ggml, this.#path);
      return file.values.get(IDENTITY) === this.#identity ? file : null;
    } catch (error) {
      if (!(error instanceof GgmlError)) throw error;
      return null;
    }
  }

  #floats(name: string): Float32Array {
    return new Float32Array(this.#file!.read(name).buffer);
  }
}

/** ggml allows names of 63 bytes. */
function nameOf(item: ScoreItem): string {
  const text = [item.prompt.join(' '), item.target.join(' ')].join('|');
  return `kept.${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

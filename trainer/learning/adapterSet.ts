/** Adapters that are read for their scores, not for training. */
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import { GgmlError } from '../ggml/errors.ts';
import { DeviceLora, readLora } from '../model/lora.ts';
import type { Network } from '../model/network.ts';
import type { ScoredAdapter } from './scorer.ts';

/** Adapters that served samples of a batch, each at the scale at which it did, loaded when first asked for. */
export class AdapterSet {
  readonly #network: Network;
  readonly #refs: AdapterRef[];
  readonly #loaded = new Map<string, DeviceLora>();

  constructor(network: Network, refs: AdapterRef[]) {
    this.#network = network;
    this.#refs = refs;
  }

  /** Null: the base model. */
  get(version: number, scale: number): DeviceLora | null {
    const ref = this.#refs.find((candidate) => candidate.version === version);
    if (!ref && version !== 0)
      throw new GgmlError(
        'adapter_unknown',
        `No file was given for adapter ${version}, which served a sample.`,
      );
    if (!ref || ref.path === null || scale === 0) return null;
    const key = `${version}@${scale}`;
    const known = this.#loaded.get(key);
    if (known) return known;
    const loaded = loadAdapter(this.#network, { ...ref, scale })!;
    this.#loaded.set(key, loaded);
    return loaded;
  }

  dispose(): void {
    for (const adapter of this.#loaded.values()) adapter.dispose();
  }
}

/** An adapter on the device, for scoring; null for the base. The caller disposes it. */
export function loadScored(network: Network, ref: AdapterRef): ScoredAdapter | null {
  const lora = loadAdapter(network, ref);
  return lora && ref.path !== null ? { lora, path: ref.path } : null;
}

function loadAdapter(network: Network, ref: AdapterRef): DeviceLora | null {
  if (ref.path === null || ref.scale === 0) return null;
  const lora = readLora(network.device.ggml, ref.path, network.architecture);
  return new DeviceLora(network.device, lora, { scale: ref.scale, trainable: false });
}

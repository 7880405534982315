/** What the learner's library finds on this computer. */
import { Device } from './device.ts';
import { readGguf } from './gguf.ts';
import { CPU_DEVICE, loadGgml, type Ggml, type GpuChoice } from './library.ts';
import { selfCheck } from './selfCheck.ts';

export interface GgmlReport {
  version: string;
  flavour: Ggml['flavour'];
  /** The device that the learner would compute on. */
  device: string;
  isCpu: boolean;
  gpus: string[];
}

/**
 * Loads ggml, lists its devices and checks a few facts on the one that would be used.
 *
 * @throws GgmlError as `loadGgml`, `Device` and `selfCheck` do.
 */
export async function lookAtGgml(gpu: GpuChoice): Promise<GgmlReport> {
  const device = new Device({ gpu, threads: 1 });
  try {
    await selfCheck(device);
    const { ggml, name, isCpu } = device;
    const all = Array.from({ length: ggml.ggml_backend_dev_count() }, (_, index) =>
      ggml.ggml_backend_dev_get(index),
    ).filter((one) => one !== null);
    const gpus = all
      .filter((one) => ggml.ggml_backend_dev_type(one) !== CPU_DEVICE)
      .map((one) => `${ggml.ggml_backend_dev_name(one)} (${ggml.ggml_backend_dev_description(one)})`);
    return { version: ggml.ggml_version(), flavour: ggml.flavour, device: name, isCpu, gpus };
  } finally {
    device.dispose();
  }
}

/**
 * That a model file is whole: every tensor that it lists is there.
 *
 * @throws GgmlError `model_corrupt`
 */
export function checkWhole(path: string): void {
  readGguf(loadGgml('cpu'), path);
}

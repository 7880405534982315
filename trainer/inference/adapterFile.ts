/** Checks that a LoRA adapter belongs to the model before llama.cpp gets to see it. */
import { existsSync } from 'node:fs';
import { readGgufFileInfo, type GgufFileInfo } from 'node-llama-cpp';
import { HoneError } from '../server/shared/errors.ts';

/** Throws `adapter_missing` or `adapter_mismatch`; each names the file and the remedy. */
export async function checkAdapterFile(path: string, model: GgufFileInfo, modelName: string): Promise<void> {
  if (!existsSync(path)) {
    throw new HoneError(
      'adapter_missing',
      `There is no adapter file at ${path}. Activate another version, or 0 for the base model.`,
    );
  }
  const why = await mismatch(path, model);
  if (why === null) return;
  throw new HoneError(
    'adapter_mismatch',
    `The adapter ${path} does not belong to the model ${modelName}: ${why}. Activate a version trained on this model, or 0 for the base model.`,
  );
}

async function mismatch(path: string, model: GgufFileInfo): Promise<string | null> {
  let adapter: GgufFileInfo;
  try {
    adapter = await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false });
  } catch (error) {
    return `it is no readable GGUF file (${(error as Error).message})`;
  }
  const wanted = model.metadata.general.architecture;
  const found = adapter.metadata.general.architecture;
  if (found !== wanted) return `it is for the architecture "${found}", the model is "${wanted}"`;
  const weights = shapes(model);
  for (const [name, [inputs, outputs]] of shapes(adapter)) {
    const base = name.replace(/\.lora_[ab]$/, '');
    const weight = weights.get(base);
    if (weight === undefined) return `it changes "${base}", which the model does not have`;
    if (name.endsWith('.lora_a') && inputs !== weight[0]) {
      return `"${name}" takes ${inputs} inputs, the model's has ${weight[0]}`;
    }
    if (name.endsWith('.lora_b') && outputs !== weight[1]) {
      return `"${name}" makes ${outputs} outputs, the model's has ${weight[1]}`;
    }
  }
  return null;
}

function shapes(info: GgufFileInfo): Map<string, [number, number]> {
  return new Map(
    (info.tensorInfo ?? []).map((tensor) => [
      tensor.name,
      [Number(tensor.dimensions[0]), Number(tensor.dimensions[1] ?? 1)],
    ]),
  );
}

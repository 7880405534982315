/** `hone inspect FILE`: whether a model file can be served and learned with, before anything is switched to it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { memoryNeeded, gigabytes } from '../../extension/common/models/memory.ts';
import type { ModelReport } from '../../extension/common/contracts/index.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';

interface InspectOptions {
  json: boolean;
}

/** Adds `inspect`. */
export function addInspectCommand(program: Command): void {
  const command = program
    .command('inspect')
    .description('say whether a model file can be served and learned with, and what memory it takes')
    .argument('<file>', 'model file (GGUF)')
    .option('--json', 'answer in JSON', false)
    .action((file: string, options: InspectOptions) => inspect(file, options, command));
  addConfigOption(command);
}

/** The vocabulary is loaded as for serving, so that what is said here is what happens then. */
async function inspect(file: string, options: InspectOptions, command: Command): Promise<void> {
  const [{ openTokenizer }, { readModelFile }, { modelSizes, whyUntrainable }] = await Promise.all([
    import('../inference/tokenizer.ts'),
    import('../inference/modelFile.ts'),
    import('../inference/modelSizes.ts'),
  ]);
  const path = resolve(file);
  const { inference } = commandConfig(command).config;
  const info = await readModelFile(path);
  const { vocabulary, close } = await openTokenizer(path, inference.fimTemplate);
  const trained = info.architectureMetadata.context_length ?? inference.contextTokens;
  const sizes = modelSizes(path, info);
  const report: ModelReport = {
    v: 1,
    path,
    name: info.metadata.general.name ?? path,
    architecture: info.metadata.general.architecture,
    bytes: sizes.bytes,
    contextTokens: Number(trained),
    fim: vocabulary.fim === null ? null : { family: vocabulary.fim.family, order: vocabulary.fim.order },
    untrainable: whyUntrainable(path, info),
    memory: memoryNeeded(sizes, Math.min(inference.contextTokens, Number(trained))),
  };
  await close();
  console.log(options.json ? JSON.stringify(report) : reportText(report));
}

function reportText({ name, architecture, bytes, fim, untrainable, memory }: ModelReport): string {
  return [
    `${name}: ${architecture}, ${gigabytes(bytes)}`,
    fim === null
      ? 'No fill-in-the-middle markers: it is shown the text before the caret alone.'
      : `Fill in the middle: ${fim.family}, ${fim.order}.`,
    untrainable ?? 'It can be learned with.',
    `Memory: ${gigabytes(memory.serving)} to serve, ${gigabytes(memory.learning)} more while it learns.`,
  ].join('\n');
}

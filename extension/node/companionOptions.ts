import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CompanionOptions } from '../common/companion.ts';
import type { Settings } from '../common/contributions.ts';
import type { Paths } from './paths.ts';

/** Command-line options of the companion for the settings. */
export function companionOptions(settings: Settings, paths: Paths): CompanionOptions {
  const { inferencePort, feedbackPort, modelPath, gpu, threads, batchEvents, fimTemplate } = settings;
  return {
    dataDir: paths.companionDir,
    ...{ inferencePort, feedbackPort, modelPath, gpu, threads, batchEvents, fimTemplate },
    fellBack: null,
    configPath: paths.companionConfig,
  };
}

/** Writes what has no option of its own into the companion's configuration file. */
export async function writeCompanionConfig(settings: Settings, paths: Paths): Promise<void> {
  await mkdir(dirname(paths.companionConfig), { recursive: true, mode: 0o700 });
  const { aggressiveness, adapters, learnOnBattery, learningThreads, memoryLimitMb, keepDays } = settings;
  const config = {
    model: memoryLimitMb > 0 ? { memoryLimitMb } : {},
    retention: { maxAgeDays: keepDays },
    training: {
      acceptThreshold: aggressiveness,
      adapters,
      onBattery: learnOnBattery,
      ...(learningThreads > 0 ? { threads: learningThreads } : {}),
    },
  };
  // A companion that starts at this moment, of another window too, reads the old file or the new one, never a half.
  const partial = `${paths.companionConfig}.${process.pid}.part`;
  await writeFile(partial, JSON.stringify(config), { mode: 0o600 });
  await rename(partial, paths.companionConfig);
}

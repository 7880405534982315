import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CompanionOptions } from '../common/companion.ts';
import { SETTINGS, type Settings } from '../common/contributions.ts';
import type { Paths } from './paths.ts';

/** Command-line options of the companion for the settings. */
export function companionOptions(settings: Settings, paths: Paths): CompanionOptions {
  const { inferencePort, feedbackPort, modelPath, gpu, threads, batchEvents, fimTemplate } = settings;
  const own = settings.aggressiveness !== SETTINGS.aggressiveness.fallback;
  return {
    dataDir: paths.companionDir,
    ...{ inferencePort, feedbackPort, modelPath, gpu, threads, batchEvents, fimTemplate },
    fellBack: null,
    configPath: own ? paths.companionConfig : null,
  };
}

/** Writes what has no option of its own into the companion's configuration file. */
export async function writeCompanionConfig(settings: Settings, paths: Paths): Promise<void> {
  await mkdir(dirname(paths.companionConfig), { recursive: true, mode: 0o700 });
  const config = { training: { acceptThreshold: settings.aggressiveness } };
  await writeFile(paths.companionConfig, JSON.stringify(config), { mode: 0o600 });
}

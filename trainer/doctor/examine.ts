/** Everything that `hone doctor` looks at, in the order in which it is told. */
import { learningPauseOf } from '../../extension/common/status/learningPause.ts';
import type { Config } from '../config/schema.ts';
import { LearningPause } from '../coordinator/pause.ts';
import { installationTokens, permissionFindings, proxyFindings } from './access.ts';
import { problem, type Finding } from './finding.ts';
import { lookAtFolder, type FolderReport } from './folder.ts';
import { learningFindings } from './learning.ts';
import { nativeFindings } from './native.ts';
import { redacted } from './privacy.ts';
import { probe } from './probe.ts';
import { companionFindings, portFindings } from './services.ts';
import { versionFindings } from './versions.ts';

export interface Patient {
  config: Config;
  dataDir: string;
  modelPath: string;
  /** Tokens that were given; none of them is printed. */
  tokens: readonly string[];
  /** What was wrong with, or not used of, the configuration file. */
  configuration: readonly Finding[];
  /** Starts this program's probe of the native libraries. */
  probeCommand: readonly string[];
  environment: NodeJS.ProcessEnv;
}

/** Looks at everything; a look that fails is a finding itself. No token and no home folder is in the texts. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const { config, dataDir, modelPath } = patient;
  const tokens = [...patient.tokens, ...installationTokens(dataDir)];
  const findings: Finding[] = [...patient.configuration];
  const look = async (check: string, find: () => Promise<Finding[]> | Finding[]): Promise<void> => {
    try {
      findings.push(...(await find()));
    } catch (error) {
      findings.push(
        problem(
          check,
          `This could not be looked at: ${(error as Error).message}`,
          'Please report it as a fault of Hone.',
        ),
      );
    }
  };
  let folder: FolderReport = { findings: [], database: null, holder: null };
  await look('versions', versionFindings);
  await look('native', async () =>
    nativeFindings(await probe(patient.probeCommand), config.model.gpu, modelPath),
  );
  await look('dataFolder', () => (folder = lookAtFolder(dataDir)).findings);
  await look('permissions', () => permissionFindings(dataDir));
  await look('companion', () => servicesFindings(patient, tokens, folder));
  await look('proxy', () => proxyFindings(patient.environment));
  return redacted(findings, tokens);
}

async function servicesFindings(
  { config, dataDir }: Patient,
  tokens: readonly string[],
  { holder, database }: FolderReport,
): Promise<Finding[]> {
  const asked =
    holder === null || holder === 'starting'
      ? { findings: holder === null ? await portFindings(config) : [], status: null }
      : await companionFindings(holder, tokens);
  const contents = database?.contents;
  if (!contents) return asked.findings;
  const { enabled, batchEvents } = config.training;
  const { status } = asked;
  const pause = learningPauseOf(status)?.sentence ?? null;
  const learning = learningFindings({
    ...contents,
    batchEvents,
    // While an update is under way, "paused" is about a completion that goes first.
    enabled:
      status === null
        ? enabled
        : status.state !== 'paused' || status.progress !== undefined || pause !== null,
    pausedByUser: new LearningPause(dataDir).on,
    companion:
      status === null
        ? null
        : {
            pause,
            trouble: status.state === 'error' ? (status.error ?? 'it does not say why') : null,
            queued: status.queued,
            open: status.open ?? 0,
          },
  });
  return [...asked.findings, ...learning];
}

/** The companion: both services, the engine and what learns, put together; one per data folder. */
import type { FastifyInstance } from 'fastify';
import type { ServeReady } from '../extension/common/contracts/index.ts';
import { AcceptanceModel } from './acceptance/acceptanceModel.ts';
import type { Config } from './config/schema.ts';
import { Coordinator } from './coordinator/coordinator.ts';
import { learnerEntry } from './coordinator/learnerEntry.ts';
import { loadEngine } from './inference/engine.ts';
import type { GpuChoice } from './inference/llama.ts';
import type { Engine } from './inference/types.ts';
import { budgetOf, memoryLimitOf } from './limits.ts';
import { lockDataFolder, tokenFingerprint } from './lock.ts';
import { createFeedbackService } from './server/feedback/service.ts';
import { createInferenceService } from './server/inference/service.ts';
import { checkTokenPolicy, exposureOf, newToken, NO_TOKEN } from './server/shared/access.ts';
import type { Logger } from './server/shared/logging.ts';
import { HoneError } from './server/shared/errors.ts';
import { listen } from './server/shared/service.ts';
import { openStore } from './store/store.ts';

export interface CompanionOptions {
  host: string;
  /** 0 picks a free port. */
  inferencePort: number;
  feedbackPort: number;
  /** Absent: a new one; `none`: no token. */
  token?: string;
  /** Absent: the same as `token`. */
  feedbackToken?: string;
  dataDir: string;
  modelPath: string;
  /** Code of the error of the model that this one stands in for. */
  fellBack?: string;
  gpu: GpuChoice;
  threads?: number;
  /** False: feedback is stored, nothing is trained. */
  train: boolean;
  config: Config;
  logger: Logger;
  /** Called with each service before it listens. */
  onService?: (app: FastifyInstance) => void;
}

export interface Companion {
  ready: ServeReady;
  engine: Engine;
  close(): Promise<void>;
}

/** Starts everything, or nothing: what was opened before a failure is closed again. */
export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const { host, logger, config } = options;
  const token = options.token ?? newToken();
  const feedbackToken = options.feedbackToken ?? token;
  checkTokenPolicy(token, host);
  checkTokenPolicy(feedbackToken, host);
  warnAboutAccess(host, [token, feedbackToken], logger);

  const opened: (() => unknown)[] = [];
  const close = async () => {
    for (const undo of opened.splice(0).reverse()) await undo();
  };
  try {
    const lock = lockDataFolder(options.dataDir);
    opened.push(() => lock.release());
    const store = openStore(options.dataDir);
    opened.push(() => store.close());

    // Listening comes before loading: a taken port is told at once, and /health can say "loading".
    const inference = createInferenceService({
      host,
      token,
      sink: store,
      defaults: config.inference,
      logger,
      ...(options.fellBack === undefined ? {} : { fellBack: options.fellBack }),
    });
    if (options.fellBack !== undefined)
      logger.warn(`This model stands in for one that could not be loaded (${options.fellBack}).`);
    opened.push(() => inference.environment.state.engine?.dispose());
    opened.push(() => inference.app.close());
    options.onService?.(inference.app);
    const inferenceUrl = await listen(inference.app, host, options.inferencePort, '--inference-port');
    const engine = await loadEngine({
      modelPath: options.modelPath,
      gpu: options.gpu,
      ...(options.threads === undefined ? {} : { threads: options.threads }),
      contextTokens: config.inference.contextTokens,
      fimTemplate: config.inference.fimTemplate,
      dataDir: options.dataDir,
      logger,
      ...memoryLimitOf(config),
    });
    inference.environment.ready(engine);

    const coordinator = new Coordinator({
      store,
      engine,
      settings: config.training,
      retention: config.retention,
      automatic: options.train,
      learner: {
        entry: learnerEntry(),
        gpu: engine.device,
        threads: config.training.threads ?? engine.threads,
      },
      budget: budgetOf(config, engine),
      logger,
    });
    opened.push(() => coordinator.dispose());
    await coordinator.start();
    inference.environment.adapters = {
      list: () => coordinator.loadable(),
      forWorkspace: (workspaceKey) => coordinator.adapterFor(workspaceKey),
      activate: async (version, scale) => void (await coordinator.activate(version, scale)),
    };
    const acceptance = new AcceptanceModel({
      store,
      modelHash: engine.model.hash,
      rules: config.training,
      logger,
    });
    inference.environment.acceptance = acceptance;
    coordinator.onErase = () => {
      inference.environment.unshown.forget();
      acceptance.forget();
    };
    inference.environment.onRecordFailure = (error) => coordinator.recordFailed(error);
    const { maxQueued } = config.training;
    const feedback = createFeedbackService({
      host,
      token: feedbackToken,
      store,
      engine,
      coordinator,
      maxQueued,
      logger,
    });
    opened.push(() => feedback.close());
    options.onService?.(feedback);
    const feedbackUrl = await listen(feedback, host, options.feedbackPort, '--feedback-port');

    lock.publish({
      host,
      inferencePort: portOf(inferenceUrl),
      feedbackPort: portOf(feedbackUrl),
      inferenceTokenFingerprint: fingerprint(token),
      feedbackTokenFingerprint: fingerprint(feedbackToken),
    });
    if (store.noRoom || !lock.published) {
      const message = `The disk that holds ${options.dataDir} is full: completions are served and not recorded. Free some disk space.`;
      logger.error({ foundByOthers: lock.published }, message);
      coordinator.recordFailed(new HoneError('storage_full', message));
    }
    const ready: ServeReady = {
      inference: inferenceUrl,
      feedback: feedbackUrl,
      token,
      ...(feedbackToken === token ? {} : { feedbackToken }),
      model: engine.model.name,
      adapterVersion: engine.adapter.version,
      pid: process.pid,
    };
    return { ready, engine, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function warnAboutAccess(host: string, tokens: string[], logger: Logger): void {
  if (tokens.includes(NO_TOKEN))
    logger.warn('No token is wanted: every program on this computer can use the services.');
  const exposure = exposureOf(host);
  if (exposure !== null) logger.warn({ host }, exposure);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function fingerprint(token: string): string | null {
  return token === NO_TOKEN ? null : tokenFingerprint(token);
}

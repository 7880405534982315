/** The inference service: completions, and what a client or a supervisor wants to know about the model. */
import type { FastifyInstance } from 'fastify';
import type { Health } from '../../../extension/common/contracts/index.ts';
import type { ModelInfo } from '../../inference/types.ts';
import { createService } from '../shared/service.ts';
import { addAdapterRoutes } from './adapters.ts';
import { addCompletionRoute } from './completions.ts';
import { InferenceEnvironment, type EnvironmentOptions } from './environment.ts';
import { addInfillRoute } from './infill.ts';
import { addShownRoute } from './shown.ts';
import { describeTemplate } from './template.ts';

interface InferenceServiceOptions extends EnvironmentOptions {
  host: string;
  token: string;
}

export interface InferenceService {
  app: FastifyInstance;
  /** Give it the engine with `ready`; until then requests are answered 503. */
  environment: InferenceEnvironment;
}

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A service that is ready to listen, though not to complete. */
export function createInferenceService(options: InferenceServiceOptions): InferenceService {
  const environment = new InferenceEnvironment(options);
  const app = createService({ host: options.host, token: options.token, logger: options.logger });
  addCompletionRoute(app, environment);
  addShownRoute(app, environment);
  addInfillRoute(app, environment);
  addAdapterRoutes(app, environment);
  app.get('/v1/models', () => models(environment));
  app.get('/metrics', (_, reply) => reply.type(PROMETHEUS_TYPE).send(environment.metrics.text()));
  app.get('/health', (_, reply) => {
    const body = health(environment);
    return reply.status(body.status === 'ok' ? 200 : 503).send(body);
  });
  return { app, environment };
}

function models(environment: InferenceEnvironment): object {
  const { model, adapter } = environment.requireEngine();
  const entry = {
    id: model.name,
    object: 'model',
    created: 0,
    owned_by: 'hone',
    meta: {
      sha256: model.hash,
      architecture: model.architecture,
      context_tokens: model.contextTokens,
      fim: model.fim === null ? null : { family: model.fim.family, order: model.fim.order },
      adapter_version: adapter.version,
    },
  };
  return { object: 'list', data: [entry] };
}

function health(environment: InferenceEnvironment): Health {
  const { engine, failure } = environment.state;
  return {
    status: engine !== null ? 'ok' : failure !== null ? 'error' : 'loading',
    service: 'inference',
    model: engine?.model.name ?? '',
    adapterVersion: engine?.adapter.version ?? 0,
    fim: engine !== null && engine.model.fim !== null,
    ...(engine === null ? {} : { ...templateOf(engine.model), modelHash: engine.model.hash }),
    contextTokens: engine?.model.contextTokens ?? 0,
    ...(engine === null ? {} : { device: engine.device }),
    ...(engine === null || engine.gpuMemoryBytes === null ? {} : { gpuMemoryBytes: engine.gpuMemoryBytes }),
    ...(environment.fellBack === undefined ? {} : { fellBack: environment.fellBack }),
    ...(failure === null ? {} : { error: failure.message }),
  };
}

function templateOf(model: ModelInfo): Pick<Health, 'prefixOnly' | 'fimTemplate'> {
  if (model.fim !== null) return { fimTemplate: describeTemplate(model) };
  return { prefixOnly: model.fimSwitchedOff ? 'setting' : 'noMarkers' };
}

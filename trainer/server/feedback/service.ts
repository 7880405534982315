/** The feedback service: takes events, tells how learning stands, and lets adapters be chosen by hand. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { dataQuerySchema, type Health } from '../../../extension/common/contracts/index.ts';
import type { Coordinator } from '../../coordinator/coordinator.ts';
import type { Engine } from '../../inference/types.ts';
import { DATABASE_FILE } from '../../store/database.ts';
import { linesOfDatabase } from '../../store/exportLines.ts';
import type { Store } from '../../store/store.ts';
import type { Logger } from '../shared/logging.ts';
import { createService } from '../shared/service.ts';
import { parseBody } from '../shared/validate.ts';
import { feedbackMetrics } from './metrics.ts';
import { addPlacesRoute } from './places.ts';
import { addSubmitRoute } from './submit.ts';

export interface FeedbackParts {
  store: Store;
  engine: Engine;
  coordinator: Coordinator;
  /** Undecided events from which new ones are refused. */
  maxQueued: number;
}

interface FeedbackServiceOptions extends FeedbackParts {
  host: string;
  token: string;
  logger: Logger;
}

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_LINES_TYPE = 'application/x-ndjson; charset=utf-8';
const idParameters = z.object({ id: z.string().min(1) });
const versionParameters = z.object({
  version: z
    .string()
    .regex(/^\d{1,15}$/, 'a version is a whole number from 0')
    .transform(Number),
});
const workspaceQuery = z.object({ workspace: z.string().min(1).optional() });
const runsQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'from 1 to 999')
    .transform(Number)
    .default(100),
});

/** A service that is ready to listen. */
export function createFeedbackService(options: FeedbackServiceOptions): FastifyInstance {
  const { coordinator } = options;
  const app = createService(options);
  const metrics = feedbackMetrics(options);
  allowEmptyJson(app);
  addSubmitRoute(app, options);
  addPlacesRoute(app, options);
  app.get('/api/training/status', (request) => coordinator.status(workspaceIn(request)));
  app.get('/api/training/runs', (request) => coordinator.runs(parseBody(runsQuery, request.query).limit));
  app.post('/api/training/step', () => coordinator.step());
  app.post('/api/training/pause', () => coordinator.setPaused(true));
  app.post('/api/training/resume', () => coordinator.setPaused(false));
  app.get('/api/adapters', (request) => coordinator.adapters(workspaceIn(request)));
  app.post('/api/adapters/:version/activate', (request) =>
    coordinator.activate(
      parseBody(versionParameters, request.params).version,
      undefined,
      workspaceIn(request),
    ),
  );
  app.post('/api/adapters/rollback', (request) => coordinator.rollBack(workspaceIn(request)));
  app.post('/api/adapters/gc', () => coordinator.collect());
  app.delete('/api/data/events/:id', (request) =>
    coordinator.erase({ kind: 'event', id: parseBody(idParameters, request.params).id }),
  );
  app.delete('/api/data', (request) => coordinator.erase(parseBody(dataQuerySchema, request.query)));
  app.get('/api/data/export', (_, reply) =>
    reply
      .type(JSON_LINES_TYPE)
      .send(
        Readable.from(linesOfDatabase(join(options.store.dataDir, DATABASE_FILE)), { objectMode: false }),
      ),
  );
  app.get('/metrics', (_, reply) => reply.type(PROMETHEUS_TYPE).send(metrics.text()));
  app.get('/health', () => health(options));
  return app;
}

/** The workspace that a request is about, where it names one. */
function workspaceIn(request: FastifyRequest): string | undefined {
  return parseBody(workspaceQuery, request.query).workspace;
}

/** `POST …/step` and the like have no body; clients that say "JSON" and send nothing are understood. */
function allowEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body.toString(), done);
  });
}

function health({ engine, coordinator }: FeedbackParts): Health {
  return {
    status: 'ok',
    service: 'feedback',
    model: engine.model.name,
    adapterVersion: engine.adapter.version,
    fim: engine.model.fim !== null,
    contextTokens: engine.model.contextTokens,
    // Without a token no more is said: what is wrong may name files.
    ...(coordinator.inTrouble ? { error: 'See GET /api/training/status.' } : {}),
  };
}

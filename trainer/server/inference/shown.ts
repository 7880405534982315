/** `POST /v1/completions/shown`: a completion that was asked for ahead is shown now. */
import type { FastifyInstance } from 'fastify';
import { shownRequestSchema, type ShownResponse } from '../../../extension/common/contracts/index.ts';
import { HoneError } from '../shared/errors.ts';
import { parseBody } from '../shared/validate.ts';
import { writeRecord } from './answer.ts';
import type { InferenceEnvironment } from './environment.ts';

/** Adds the route. The record is written before it answers, as that of any other completion. */
export function addShownRoute(app: FastifyInstance, environment: InferenceEnvironment): void {
  app.post('/v1/completions/shown', (request): ShownResponse => {
    const { id, document_version: documentVersion } = parseBody(shownRequestSchema, request.body);
    const record = environment.unshown.take(id, documentVersion);
    if (record === undefined) {
      throw new HoneError(
        'unknown_completion',
        `No completion ${id} is kept that was asked for ahead and not shown yet. Ask for a new one.`,
        { param: 'id' },
      );
    }
    environment.countAheadShown();
    writeRecord(environment, record);
    return { status: 'recorded', id };
  });
}

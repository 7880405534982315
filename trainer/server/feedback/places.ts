import type { FastifyInstance } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import {
  placesRequestSchema,
  type OutcomeEvent,
  type PlacesResponse,
} from '../../../extension/common/contracts/index.ts';
import { MAX_COMPLETION_TOKENS } from '../../../extension/common/prompt/request.ts';
import { maskStrings } from '../../../extension/common/secrets/mask.ts';
import type { Engine } from '../../inference/types.ts';
import type { FlatSubmission } from '../../store/events.ts';
import type { ClientCompletion } from '../../store/types.ts';
import { buildPrompt } from '../inference/prompt.ts';
import { parseBody } from '../shared/validate.ts';
import type { FeedbackParts } from './service.ts';
import { requireRoom } from './submit.ts';

interface Place {
  path: string;
  language: string;
  offset: number;
  prefix: string;
  suffix: string;
  text: string;
}

/**
 * `POST /api/training/places`: what stands at places of the developer's own files, to be learned from as if it had
 * been typed there. Each is stored as a completion that nobody was shown, and a correction: what holds for others
 * (held out by its line, masked, exported, deleted, trained once) holds for it. The answer is sent when they are on
 * the disk.
 */
export function addPlacesRoute(app: FastifyInstance, parts: FeedbackParts): void {
  const { engine, store } = parts;
  app.post('/api/training/places', (request): PlacesResponse => {
    const { workspaceKey, places } = parseBody(placesRequestSchema, maskStrings(request.body));
    requireRoom(parts);
    const now = Date.now();
    const answer = { v: 1 as const, stored: 0, heldOut: 0, known: 0 };
    for (const [index, place] of places.entries()) {
      const submission = submissionOf(engine, workspaceKey, place, now + index);
      if (store.completions.knowsClient(submission.client, place.text)) {
        answer.known++;
        continue;
      }
      store.events.submitFlat(submission, now);
      if (store.completions.get(submission.client.id)!.heldOut) answer.heldOut++;
      else answer.stored++;
    }
    parts.coordinator.eventsArrived();
    return answer;
  });
}

/** @param at Milliseconds since the epoch; places of one document follow one another. */
function submissionOf(
  engine: Engine,
  workspaceKey: string,
  place: Place,
  at: number,
): FlatSubmission & { client: ClientCompletion } {
  const { path, language, offset, prefix, suffix, text } = place;
  const completionId = uuidv7();
  const document = { path, prefix, suffix, files: [] };
  const prompt = buildPrompt(engine, { kind: 'document', document }, MAX_COMPLETION_TOKENS);
  const outcome: OutcomeEvent = {
    v: 1,
    kind: 'outcome',
    id: uuidv7(),
    completionId,
    at,
    // Nobody was shown anything: no reward, no rate of acceptance and no predictor counts it.
    outcome: { kind: 'ignored', shownMs: 0 },
    evidence: 'inferred',
    shownText: '',
    filters: [],
    shownMs: 0,
    language,
    relativePath: path,
    workspaceKey,
    documentVersion: 0,
    offset,
    session: '',
  };
  return {
    body: outcome,
    outcome,
    retained: null,
    typed: text,
    client: {
      id: completionId,
      createdAt: at,
      workspaceKey,
      relativePath: path,
      offset,
      promptText: prompt.text,
      promptTokens: prompt.tokens,
      rawText: '',
      modelHash: engine.model.hash,
    },
  };
}

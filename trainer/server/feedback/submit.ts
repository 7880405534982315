import type { FastifyInstance } from 'fastify';
import {
  feedbackBatchSchema,
  feedbackEventSchema,
  flatFeedbackSchema,
  type FeedbackEvent,
  type SubmitResponse,
} from '../../../extension/common/contracts/index.ts';
import { maskStrings } from '../../../extension/common/secrets/mask.ts';
import type { SubmitResult } from '../../store/types.ts';
import { HoneError } from '../shared/errors.ts';
import { projectOf } from '../shared/project.ts';
import { parseBody } from '../shared/validate.ts';
import { flatSubmission } from './flat.ts';
import type { FeedbackParts } from './service.ts';

const MESSAGES = {
  stored: 'Stored.',
  duplicate: 'Already known; nothing was changed.',
  forgotten: 'The completion was deleted; nothing is stored about it any more.',
};

/**
 * `POST /api/training/submit`: one event, a batch of them, or a flat body. Secrets in its texts are masked before
 * anything else is done with them: nothing of one is stored, and what is joined by its prompt finds the masked one. The answer is sent when the events are on
 * the disk; the same event again is answered in the same way and stored once.
 */
export function addSubmitRoute(app: FastifyInstance, parts: FeedbackParts): void {
  app.post('/api/training/submit', (request): SubmitResponse => {
    const body = maskStrings(request.body);
    if (hasKey(body, 'events')) return submitBatch(parts, parseBody(feedbackBatchSchema, body).events);
    const result = hasKey(body, 'kind')
      ? submitEvents(parts, [parseBody(feedbackEventSchema, body)])[0]!
      : submitFlat(parts, body, projectOf(request.headers));
    if (result.status === 'conflict') throw new HoneError('outcome_conflict', result.message);
    return answer(parts, MESSAGES[result.status]);
  });
}

function submitBatch(parts: FeedbackParts, events: FeedbackEvent[]): SubmitResponse {
  const results = submitEvents(parts, events);
  const count = (status: SubmitResult['status']) => results.filter((one) => one.status === status).length;
  const message = `${count('stored')} stored, ${count('duplicate')} already known, ${count('conflict')} in conflict, ${count('forgotten')} forgotten.`;
  return { ...answer(parts, message), results };
}

function submitEvents(parts: FeedbackParts, events: FeedbackEvent[]): SubmitResult[] {
  if (events.some((event) => event.kind === 'outcome')) requireRoom(parts);
  const results = parts.store.events.submit(events, Date.now());
  parts.coordinator.eventsArrived();
  return results;
}

function submitFlat(parts: FeedbackParts, body: unknown, project: string | undefined): SubmitResult {
  const told = parseBody(flatFeedbackSchema, body);
  const flat = { ...told, project: told.project ?? project };
  requireRoom(parts);
  const submission = flatSubmission(parts.store, parts.engine.model.hash, flat);
  const result = parts.store.events.submitFlat(submission, Date.now());
  parts.coordinator.eventsArrived();
  return result;
}

/** @throws HoneError `queue_full` */
export function requireRoom({ store, maxQueued }: FeedbackParts): void {
  const waiting = store.facts.undecidedCount();
  if (waiting < maxQueued) return;
  throw new HoneError(
    'queue_full',
    `${waiting} events wait to be learned from, the limit. Keep the event and send it again later, or train now with POST /api/training/step.`,
  );
}

function answer({ store }: FeedbackParts, message: string): SubmitResponse {
  return { status: 'submitted', message, queue_position: store.facts.undecidedCount() };
}

function hasKey(body: unknown, key: string): boolean {
  return typeof body === 'object' && body !== null && key in body;
}

import { v7 as uuidv7 } from 'uuid';
import {
  DEFAULT_WORKSPACE,
  type FlatFeedback,
  type Outcome,
  type OutcomeEvent,
} from '../../../extension/common/contracts/index.ts';
import type { FlatSubmission } from '../../store/events.ts';
import type { Store } from '../../store/store.ts';

/**
 * A flat body as an outcome and the facts that came with it. It joins a recorded completion by its id, or by prompt
 * and text; else it stands for a completion that this companion did not serve, and only its text teaches.
 */
export function flatSubmission(store: Store, modelHash: string, body: FlatFeedback): FlatSubmission {
  // A tracker that knows no id may send an empty one: all its bodies would be the same event.
  const told = body.completionId === '' ? undefined : body.completionId;
  const eventId = told === undefined ? uuidv7() : `flat:${told}`;
  const recorded = recordedCompletion(store, eventId, body);
  const completionId = recorded ?? told ?? uuidv7();
  const at = timeOf(body);
  const outcome: OutcomeEvent = {
    v: 1,
    kind: 'outcome',
    id: eventId,
    completionId,
    at,
    outcome: outcomeOf(body),
    // The client says itself what became of the text that it showed.
    evidence: 'event',
    shownText: body.completion.replaceAll('\r\n', '\n'),
    filters: [],
    shownMs: 0,
    language: '',
    relativePath: body.filepath ?? '',
    workspaceKey: body.project ?? DEFAULT_WORKSPACE,
    documentVersion: 0,
    offset: body.prefix?.length ?? 0,
    session: '',
  };
  return {
    body,
    outcome,
    retained: body.accepted ? (body.retained ?? 1) : null,
    typed: body.typed ?? null,
    client:
      recorded !== null
        ? null
        : {
            id: completionId,
            // The tracker's clock may be in seconds or long past: what comes in now is kept as long as everything else.
            createdAt: Date.now(),
            workspaceKey: outcome.workspaceKey,
            relativePath: outcome.relativePath,
            offset: outcome.offset,
            promptText: body.prompt,
            rawText: outcome.shownText,
            modelHash,
          },
  };
}

function recordedCompletion(store: Store, eventId: string, body: FlatFeedback): string | null {
  const submitted = store.events.completionOf(eventId);
  if (submitted !== null) return submitted;
  if (body.completionId !== undefined && store.completions.get(body.completionId) !== null)
    return body.completionId;
  const prompts = body.prefix === undefined ? [body.prompt] : [body.prompt, body.prefix];
  return store.completions.findByPrompt(prompts, body.completion);
}

function outcomeOf(body: FlatFeedback): Outcome {
  if (body.completion === '') return { kind: 'silent' };
  return body.accepted ? { kind: 'accepted' } : { kind: 'rejected', how: 'typedAgainst' };
}

function timeOf(body: FlatFeedback): number {
  const at = typeof body.timestamp === 'string' ? Date.parse(body.timestamp) : body.timestamp;
  return at !== undefined && Number.isFinite(at) && at >= 0 ? at : Date.now();
}

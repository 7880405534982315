import type { FastifyRequest } from 'fastify';
import { DEFAULT_WORKSPACE, type HoneFields } from '../../../extension/common/contracts/index.ts';
import { projectOf } from '../shared/project.ts';
import type { CompletionAsk } from './answer.ts';

/** Where a completion is asked for, and whether that may be written down. */
export type Place = Pick<
  CompletionAsk,
  | 'record'
  | 'session'
  | 'workspaceKey'
  | 'relativePath'
  | 'language'
  | 'documentVersion'
  | 'offset'
  | 'askedAt'
>;

/** Hone's own fields of a request with their defaults; the workspace key is the body's, else the header's. */
export function placeOf(request: FastifyRequest, body: HoneFields): Place {
  return {
    record: body.record !== false,
    session: body.session ?? '',
    workspaceKey: body.workspace ?? projectOf(request.headers) ?? DEFAULT_WORKSPACE,
    relativePath: body.path ?? '',
    language: body.language ?? '',
    documentVersion: body.document_version ?? 0,
    offset: body.offset ?? 0,
    askedAt: body.asked_at,
  };
}

import type { FastifyRequest } from 'fastify';
import { DEFAULT_WORKSPACE, type HoneFields } from '../../../extension/common/contracts/index.ts';
import type { CompletionAsk } from './answer.ts';

const PROJECT_HEADER = 'x-project-id';

/** Where a completion is asked for, and whether that may be written down. */
export type Place = Pick<
  CompletionAsk,
  'record' | 'session' | 'workspaceKey' | 'relativePath' | 'language' | 'documentVersion' | 'offset'
>;

/** Hone's own fields of a request with their defaults; the workspace key is the body's, else the header's. */
export function placeOf(request: FastifyRequest, body: HoneFields): Place {
  const header = request.headers[PROJECT_HEADER];
  const fromHeader = typeof header === 'string' && header !== '' ? header : DEFAULT_WORKSPACE;
  return {
    record: body.record !== false,
    session: body.session ?? '',
    workspaceKey: body.workspace ?? fromHeader,
    relativePath: body.path ?? '',
    language: body.language ?? '',
    documentVersion: body.document_version ?? 0,
    offset: body.offset ?? 0,
  };
}

import * as z from 'zod';
import { CONTRACT_VERSION } from './feedback.ts';

/** What is to be deleted. */
export const dataScopeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('all') }),
  z.object({ kind: z.literal('workspace'), key: z.string().min(1) }),
  /** `id`: of an event or of a completion; everything about that one completion goes. */
  z.object({ kind: z.literal('event'), id: z.string().min(1) }),
]);
export type DataScope = z.infer<typeof dataScopeSchema>;

/**
 * Query of `DELETE /api/data`: `all=true`, or `workspace=KEY`. `DELETE /api/data/events/ID` takes an event's or a
 * completion's id.
 */
export const dataQuerySchema = z
  .strictObject({ all: z.literal('true').optional(), workspace: z.string().min(1).optional() })
  .refine(({ all, workspace }) => (all === undefined) !== (workspace === undefined), {
    message: 'say all=true, or workspace=KEY',
    path: ['workspace'],
  })
  .transform(({ workspace }): DataScope =>
    workspace === undefined ? { kind: 'all' } : { kind: 'workspace', key: workspace },
  );

/** Path and query of the request that deletes a scope. */
export function deletionPath(scope: DataScope): string {
  switch (scope.kind) {
    case 'all':
      return '/api/data?all=true';
    case 'workspace':
      return `/api/data?workspace=${encodeURIComponent(scope.key)}`;
    case 'event':
      return `/api/data/events/${encodeURIComponent(scope.id)}`;
  }
}

/** Answer when everything is deleted, its bytes too. Deleting again is answered the same way, with zeros. */
export const deletionSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  status: z.literal('deleted'),
  completions: z.int().nonnegative(),
  events: z.int().nonnegative(),
  /** Adapters that had learned from it, directly or through the one that they were made from: they are gone. */
  versions: z.array(z.int()),
  /** Version in service now. */
  active: z.int().nonnegative(),
  /** Other events of the updates that are gone: they are learned from again. */
  requeued: z.int().nonnegative(),
});
export type Deletion = z.infer<typeof deletionSchema>;

/** A line of `GET /api/data/export` (JSON lines): one row of one table. */
export const exportRowSchema = z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) });
export type ExportRow = z.infer<typeof exportRowSchema>;

/** Its last line: an export without it broke off. */
export const exportEndSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  end: z.literal(true),
  /** Rows by table. */
  rows: z.record(z.string(), z.int().nonnegative()),
});
export type ExportEnd = z.infer<typeof exportEndSchema>;

/** `manifest.json` of an exported folder: what lies beside it. */
export const exportManifestSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  /** ISO 8601. */
  exportedAt: z.string(),
  /** Rows by file of JSON lines and table. */
  rows: z.record(z.string(), z.record(z.string(), z.int().nonnegative())),
  /** The other files: adapters, what they were made from, curves and logs. */
  files: z.array(z.looseObject({ path: z.string(), bytes: z.int().nonnegative() })),
});
export type ExportManifest = z.infer<typeof exportManifestSchema>;

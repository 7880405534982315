import type { IncomingHttpHeaders } from 'node:http';

const PROJECT_HEADER = 'x-project-id';

/** Workspace key of a request whose body names none; undefined: its headers name none either. */
export function projectOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers[PROJECT_HEADER];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Checks what crosses a process against its schema; a wrong type is an error that names the field. */
import type * as z from 'zod';
import { HoneError } from './errors.ts';

/** The parsed body, or an `invalid_request` error that names the first field at fault. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = issue.path.map(String).join('.');
  if (field === '') {
    throw new HoneError('invalid_request', `The body is not valid: ${issue.message}. Send a JSON object.`);
  }
  const more = result.error.issues.length - 1;
  const others = more > 0 ? ` (and ${more} more)` : '';
  throw new HoneError('invalid_request', `Field "${field}": ${issue.message}${others}.`, { param: field });
}

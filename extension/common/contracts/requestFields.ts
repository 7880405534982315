import * as z from 'zod';

/** A field of a request that may be left out; other programs' clients send null for what their caller did not set. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();

/** What Hone adds to the bodies that other servers know, too. */
export const honeFields = {
  /** Workspace key; the header `X-Project-ID` stands in for it. */
  workspace: optional(z.string()),
  /** Path shown to the model before the prefix, relative to the workspace. */
  path: optional(z.string()),
  language: optional(z.string()),
  /** False means that nothing of this request is written anywhere. */
  record: optional(z.boolean()),
  /** Version of the document and UTF-16 offset of the caret with LF line ends, stored with the record. */
  document_version: optional(z.int().nonnegative()),
  offset: optional(z.int().nonnegative()),
  session: optional(z.string()),
  /** When it is asked for, milliseconds since the epoch, by the clock that the feedback's `at` is of. */
  asked_at: optional(z.number().nonnegative()),
};

export type HoneFields = { [Field in keyof typeof honeFields]?: z.output<(typeof honeFields)[Field]> };

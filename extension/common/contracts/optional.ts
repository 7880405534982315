import type * as z from 'zod';

/** A field of a request that may be left out; other programs' clients send null for what their caller did not set. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();

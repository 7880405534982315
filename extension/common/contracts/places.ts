import * as z from 'zod';
import { CONTRACT_VERSION, DEFAULT_WORKSPACE } from './feedback.ts';

/** Places of one request. */
export const PLACES_MAX = 256;

/** `POST /api/training/places`: places in the developer's own files, to be learned from before anything was typed. */
export const placesRequestSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  workspaceKey: z.string().default(DEFAULT_WORKSPACE),
  places: z
    .array(
      z.looseObject({
        /** Relative to the workspace, with forward slashes. */
        path: z.string(),
        language: z.string().default(''),
        /** UTF-16 offset of the place in the file. */
        offset: z.int().nonnegative(),
        prefix: z.string(),
        suffix: z.string(),
        /** What stands there, to the end of the line. */
        text: z.string().min(1),
      }),
    )
    .min(1)
    .max(PLACES_MAX),
});
export type PlacesRequest = z.input<typeof placesRequestSchema>;

/** What is learned from: a place that is recorded already is not once more. A fifth is held out for the gate. */
export const placesResponseSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  stored: z.int().nonnegative(),
  heldOut: z.int().nonnegative(),
  known: z.int().nonnegative(),
});
export type PlacesResponse = z.infer<typeof placesResponseSchema>;

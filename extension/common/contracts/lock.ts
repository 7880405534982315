import * as z from 'zod';

/** Name of the file in the data folder that says which companion runs there. */
export const COMPANION_FILE = 'companion.json';

/**
 * What a running companion says of itself, as JSON in `companion.json` of its data folder. A window attaches with
 * it: the process must be alive, the fingerprints must be those of its own tokens, and `/health` must answer. The
 * file alone is no proof: a killed companion leaves it behind, and the next one replaces it.
 */
export const companionLockSchema = z.looseObject({
  v: z.literal(1),
  pid: z.int().positive(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().nonnegative(),
  host: z.string(),
  /** Null until the service listens. */
  inferencePort: z.int().positive().nullable(),
  feedbackPort: z.int().positive().nullable(),
  /** First 16 hex digits of the SHA-256 of the bearer token; null: the service wants none. */
  inferenceTokenFingerprint: z.string().nullable(),
  feedbackTokenFingerprint: z.string().nullable(),
});
export type CompanionLock = z.infer<typeof companionLockSchema>;

import type { HttpCompanion } from './companion.ts';
import type { SourceFile } from './files.ts';
import type { Position } from './positions.ts';
import { fixedRequest } from './served.ts';
import type { ContextOf } from './workspace.ts';

/** A developer's pause between two requests; the learner works in it. */
const PAUSE_MS = 2000;
/** Enough for a median; more would only keep the learner from its work. */
const MAX_PROBES = 8;

/**
 * Asks for a few completions until `ended`, one after the other with a pause between: how long they take while something
 * else goes on. Nothing of it is recorded.
 *
 * @returns milliseconds from request to answer.
 */
export async function probeLatency(
  companion: HttpCompanion,
  files: readonly SourceFile[],
  positions: readonly Position[],
  context: ContextOf,
  ended: Promise<unknown>,
): Promise<number[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const latencies: number[] = [];
  let over = false;
  void ended.then(() => (over = true));
  for (let i = 0; !over && i < MAX_PROBES && positions.length > 0; i++) {
    const position = positions[i % positions.length]!;
    const { rest: _rest, ...request } = fixedRequest(byPath.get(position.path)!, position, context);
    const answer = await companion.complete(request);
    // One that was answered after the end says nothing about the time before it.
    if (!over) latencies.push(answer.latencyMs);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, PAUSE_MS))]);
  }
  return latencies;
}

/** Which model suits a computer: the largest that fits beside the developer's other programs and answers in time. */
import { CATALOGUE, type CatalogueModel } from './catalogue.ts';
import { memoryNeeded } from './memory.ts';

export interface Machine {
  memoryBytes: number;
  /** Of the graphics card that the companion computes on; null: it computes on the processor. */
  gpuMemoryBytes: number | null;
  /** Logical cores that this process may use. */
  cores: number;
}

interface Recommendation {
  /** Id in the catalogue; null: the embedded model. */
  modelId: string | null;
  /** A sentence. */
  reason: string;
}

/** Of the context that the companion opens. */
const CONTEXT_TOKENS = 4096;
/** The editor, its language servers and a browser need the rest. */
const MEMORY_SHARE = 0.3;
const GPU_MEMORY_SHARE = 0.8;
/** A suggestion that comes later than this is typed over: 95 of 100 are to be there by then. */
const COLD_LIMIT_MS = 1000;
/** What a keystroke in a new place reads, and what a suggestion writes. */
const COLD_PROMPT_TOKENS = 230;
const SUGGESTION_TOKENS = 10;
/**
 * Measured with the embedded model (135 M weights, 94 MB) on two cores of a server: 454 tokens of prompt a second, 56
 * tokens written a second. Reading grows with cores, writing with memory bandwidth, which is the machine's, not the
 * core's; a developer's computer has about four times that of the measured share of a server.
 */
const WEIGHTS_READ_PER_CORE_SECOND = (454 * 135e6) / 2;
const BYTES_PER_SECOND = 4 * 56 * 94.4e6;

/** Milliseconds from a key in a new place to the suggestion, on the processor; an estimate. */
export function coldMilliseconds(model: CatalogueModel, cores: number): number {
  const reading = (COLD_PROMPT_TOKENS * model.parameters) / (WEIGHTS_READ_PER_CORE_SECOND * cores);
  const writing = (SUGGESTION_TOKENS * model.bytes) / BYTES_PER_SECOND;
  return 1000 * (reading + writing);
}

/** The largest model that suits, of those that everybody may use for everything. */
export function recommendModel(machine: Machine): Recommendation {
  const { gpuMemoryBytes } = machine;
  const open = CATALOGUE.filter(({ licence }) => licence.commercialUse);
  const fitting = open.filter((model) => fits(model, machine));
  const best = fitting.findLast(
    (model) => gpuMemoryBytes !== null || coldMilliseconds(model, machine.cores) <= COLD_LIMIT_MS,
  );
  if (best !== undefined) return { modelId: best.id, reason: reasonFor(machine) };
  const why =
    fitting.length === 0
      ? `larger models would leave too little of ${gibibytes(gpuMemoryBytes ?? machine.memoryBytes)} of memory`
      : `larger models would answer too late on ${machine.cores} cores`;
  return { modelId: null, reason: `The embedded model suits this computer: ${why}.` };
}

function fits(model: CatalogueModel, { memoryBytes, gpuMemoryBytes }: Machine): boolean {
  const { serving, learning } = memoryNeeded(model, CONTEXT_TOKENS);
  if (gpuMemoryBytes !== null) return serving + learning <= gpuMemoryBytes * GPU_MEMORY_SHARE;
  return serving + learning <= memoryBytes * MEMORY_SHARE;
}

function reasonFor({ gpuMemoryBytes, memoryBytes, cores }: Machine): string {
  if (gpuMemoryBytes !== null)
    return `The largest that fits the graphics card, ${gibibytes(gpuMemoryBytes)}, with room to learn.`;
  return `The largest that answers within a second on ${cores} cores and fits ${gibibytes(memoryBytes)} of memory.`;
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(0)} GB`;
}

/**
 * The native libraries, looked at in a process of its own: a broken driver can end it, and the report goes on. It
 * prints one line of JSON for each part, as soon as it is known.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FlavourReport } from '../ggml/library.ts';
import type { GgmlReport } from '../ggml/look.ts';
import type { LlamaReport, ModelFacts } from '../inference/look.ts';
import type { GpuChoice } from '../inference/llama.ts';

/** The first use of a graphics driver compiles; a large model's hash is read from the disk. */
const TIMEOUT_MS = 180_000;
const QUOTED_LINES = 3;

export interface ProbeRequest {
  gpu: GpuChoice;
  modelPath: string;
  fimTemplate: string;
}

export const PROBE_KINDS = ['machine', 'model'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** What a part found, or its coded error. */
export type Part<T> = { found: T } | { error: { code: string; message: string } };

export interface ProbeParts {
  flavours: Part<FlavourReport[]>;
  llama: Part<LlamaReport>;
  ggml: Part<GgmlReport>;
  model: Part<ModelFacts>;
}

export interface ProbeResult {
  /** Parts that were reached. */
  parts: Partial<ProbeParts>;
  /** How the process ended before it was through, with its last words; null: it came to its end. */
  crash: string | null;
}

/** The child's side. One process can hold one llama.cpp only: what is asked of the processor alone is another's. */
export async function printProbe(
  part: ProbeKind,
  { gpu, modelPath, fimTemplate }: ProbeRequest,
): Promise<void> {
  // Loaded here and not above: the parent does without.
  const { flavoursHere } = await import('../ggml/library.ts');
  const ggml = await import('../ggml/look.ts');
  const inference = await import('../inference/look.ts');
  if (part === 'model')
    return print('model', async () => {
      const report = await inference.lookAtModel(modelPath, fimTemplate);
      ggml.checkWhole(modelPath);
      return report;
    });
  await print('flavours', async () => flavoursHere());
  await print('llama', () => inference.lookAtLlama(gpu));
  await print('ggml', () => ggml.lookAtGgml(gpu));
}

/** The parent's side: `command` is what starts a child, but for the kind. */
export async function probe(command: readonly string[]): Promise<ProbeResult> {
  const results = await Promise.all(PROBE_KINDS.map((kind) => runProbe([...command, kind])));
  const crashes = results.flatMap(({ crash }) => crash ?? []);
  return {
    parts: Object.assign({}, ...results.map(({ parts }) => parts)) as Partial<ProbeParts>,
    crash: crashes.length === 0 ? null : crashes.join('; '),
  };
}

async function runProbe([program, ...args]: readonly string[]): Promise<ProbeResult> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const lines = output.split('\n').filter((line) => line.startsWith('{"part":'));
  const parts = Object.fromEntries(
    lines.map((line) => {
      const { part, ...result } = JSON.parse(line) as { part: keyof ProbeParts };
      return [part, result];
    }),
  ) as Partial<ProbeParts>;
  const words = errors.trim().split('\n').slice(-QUOTED_LINES).join(' ');
  return { parts, crash: code === 0 ? null : `${signal ?? `exit code ${code}`}: ${words}` };
}

async function print<Name extends keyof ProbeParts>(part: Name, look: () => Promise<unknown>): Promise<void> {
  let result: object;
  try {
    result = { found: await look() };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    result = { error: { code: code ?? 'unexpected', message } };
  }
  console.log(JSON.stringify({ part, ...result }));
}

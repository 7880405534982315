/** Checkpoints of a judged run: what it goes on from after it was killed, to the same adapter. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { BASE_ADAPTER, type AdapterRef } from '../../extension/common/contracts/index.ts';
import { judgeConfigSchema } from './config.ts';
import { isEvery } from './plan.ts';
import { groupCountsSchema } from './step.ts';
import { verdictCountsSchema } from './verdict.ts';

const CHECKPOINTS = 'checkpoints';
const STEP_PREFIX = 'global_step_';
const STATE_FILE = 'state.json';
const ADAPTER_FILES = ['adapter.gguf', 'adapter.gguf.adamw'];

const stateSchema = z.object({
  v: z.literal(1),
  /** Steps that are done. */
  step: z.int().nonnegative(),
  /** False: nothing was learned yet, and the base model goes on. */
  adapter: z.boolean(),
  /** Every draw has a generator of its own, by this seed, the step and the place: it is all that there is to keep. */
  random: z.object({ seed: z.int(), step: z.int() }),
  /** The next item, in the order of its epoch. */
  cursor: z.object({ epoch: z.int(), item: z.int() }),
  verdicts: verdictCountsSchema,
  groups: groupCountsSchema,
  /** Figures of the step. */
  scalars: z.record(z.string(), z.number()),
  config: judgeConfigSchema,
});
export type RunState = z.infer<typeof stateSchema>;

/** The folder of checkpoints of one run. */
export class Checkpoints {
  private readonly folder: string;

  constructor(outputDir: string) {
    this.folder = join(outputDir, CHECKPOINTS);
  }

  /** The last whole checkpoint, or null; what came after it and is not whole is deleted. */
  latest(): RunState | null {
    for (const step of this.steps().reverse()) {
      const state = readState(join(this.stepFolder(step), STATE_FILE));
      if (state !== null) return state;
      this.remove(step);
    }
    return null;
  }

  /** The adapter of a state. A step's number is its version. */
  adapterOf({ step, adapter }: Pick<RunState, 'step' | 'adapter'>): AdapterRef {
    return adapter ? { version: step, path: this.adapterPath(step), scale: 1 } : BASE_ADAPTER;
  }

  /** Where the adapter of a step is to be written; the optimizer's moments go beside it. Its folder is there, and empty. */
  begin(step: number): string {
    this.remove(step);
    mkdirSync(this.stepFolder(step), { recursive: true, mode: 0o700 });
    return this.adapterPath(step);
  }

  /** Takes the adapter and moments of the step before over into one that learned nothing. */
  carryOver(from: AdapterRef, step: number): void {
    const source = from.path === null ? null : this.stepFolder(from.version);
    for (const file of source === null ? [] : ADAPTER_FILES)
      copyFileSync(join(source!, file), join(this.stepFolder(step), file));
  }

  /** Makes a step whole: the state is written last. */
  complete(state: RunState): void {
    const path = join(this.stepFolder(state.step), STATE_FILE);
    writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** Deletes checkpoints: those of every `saveEvery`-th step stay, and the last two. */
  prune(last: number, saveEvery: number): void {
    for (const step of this.steps()) if (step < last - 1 && !isEvery(step, saveEvery)) this.remove(step);
  }

  private steps(): number[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => name.startsWith(STEP_PREFIX))
      .map((name) => Number(name.slice(STEP_PREFIX.length)))
      .sort((a, b) => a - b);
  }

  private remove(step: number): void {
    rmSync(this.stepFolder(step), { recursive: true, force: true });
  }

  private adapterPath(step: number): string {
    return join(this.stepFolder(step), ADAPTER_FILES[0]!);
  }

  private stepFolder(step: number): string {
    return join(this.folder, `${STEP_PREFIX}${step}`);
  }
}

function readState(path: string): RunState | null {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // None, or half of one: the step is made again.
    return null;
  }
}

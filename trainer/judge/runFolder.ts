/** What a judged run writes beside its checkpoints: the log, the curves, the validations, and whose run it is. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { METRICS_FILE, TRAIN_LOG_FILE } from '../board/board.ts';
import { EventFile } from '../board/eventFile.ts';
import { appendLine, logLine } from '../board/lines.ts';
import { HoneError } from '../server/shared/errors.ts';
import { makePrivateFolder } from '../store/folder.ts';
import { validationSchema, type Validation } from './validation.ts';

const RUN_FILE = 'run.json';
const BOARD_FOLDER = 'tensorboard';
const VALIDATION_FOLDER = 'validation';
/** Every step of training has this figure, and no validation. */
export const STEP_TIME_TAG = 'time/step';

const runSchema = z.object({ v: z.literal(1), fingerprint: z.string() });

export class RunFolder {
  readonly path: string;
  private readonly events: EventFile;

  constructor(path: string) {
    this.path = path;
    for (const folder of [BOARD_FOLDER, VALIDATION_FOLDER]) makePrivateFolder(join(path, folder));
    this.events = new EventFile(join(path, BOARD_FOLDER));
  }

  /**
   * Makes the folder that of this run.
   *
   * @param fingerprint of everything that decides its result
   * @throws HoneError `output_dir_taken` when it holds a run with another.
   */
  claim(fingerprint: string): void {
    const path = join(this.path, RUN_FILE);
    const run = { v: 1, fingerprint };
    if (!existsSync(path)) {
      writeWhole(path, run);
      return;
    }
    const found = runSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
    if (found?.fingerprint === fingerprint) return;
    throw new HoneError(
      'output_dir_taken',
      `${this.path} holds a run with another model, other data or another configuration. ` +
        'Choose another output folder, delete this one, or restore what was changed.',
    );
  }

  /** A line of the log. */
  say(text: string): void {
    appendLine(join(this.path, TRAIN_LOG_FILE), logLine(text, Date.now()));
  }

  /** Figures of a step, for TensorBoard and as a line of JSON. */
  figures(step: number, scalars: Record<string, number>): void {
    const at = Date.now();
    appendLine(join(this.path, METRICS_FILE), JSON.stringify({ step, at, scalars }));
    this.events.append(at, step, scalars);
  }

  /** Whether the figures of a step of training were written. */
  hasFigures(step: number): boolean {
    const path = join(this.path, METRICS_FILE);
    const mark = `{"step":${step},`;
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return lines.some((line) => line.startsWith(mark) && line.includes(STEP_TIME_TAG));
  }

  /** The validation of a step when it was made, else null. */
  validation(step: number): Validation | null {
    const path = this.validationPath(step);
    return existsSync(path) ? validationSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
  }

  keepValidation(validation: Validation): void {
    writeWhole(this.validationPath(validation.step), validation);
  }

  private validationPath(step: number): string {
    return join(this.path, VALIDATION_FOLDER, `step_${step}.json`);
  }
}

function writeWhole(path: string, value: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

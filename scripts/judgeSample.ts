/**
 * `node scripts/judgeSample.ts FOLDER`: a sample for `hone judge`, made of the replay's fixture: train.jsonl and
 * validation.jsonl, JSON lines with `prompt` and `solutions`. The two are of different files, the same as the replay
 * types and holds out.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promptText } from '../extension/common/prompt/fim.ts';
import { promptWindow } from '../extension/common/prompt/window.ts';
import { readSourceFiles, splitFiles, type SourceFile } from '../trainer/replay/files.ts';
import { documentAt, evaluationPositions } from '../trainer/replay/positions.ts';
import { sampleInOrder } from '../extension/common/random.ts';
import { keyedRandom } from '../trainer/replay/random.ts';

const FIXTURE = join(import.meta.dirname, '../trainer/replay/fixture/code');
const TRAIN_LINES = 120;
const VALIDATION_LINES = 80;
const SEED = 1;
/** Longer rests are hardly ever met exactly by a small model, and teach an exact match nothing. */
const LONGEST_SOLUTION_CHARS = 24;
/** The markers of Qwen2.5-Coder, prefix first, as the recipe's clients write them. */
const MARKERS = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name a folder: node scripts/judgeSample.ts FOLDER');
const split = splitFiles(await readSourceFiles(FIXTURE));
mkdirSync(resolve(folder), { recursive: true });
for (const [name, files, lines] of [
  ['train.jsonl', split.streamed, TRAIN_LINES],
  ['validation.jsonl', split.heldOut, VALIDATION_LINES],
] as const) {
  const path = join(resolve(folder), name);
  writeFileSync(path, sample(files, lines));
  console.log(`${path}: ${lines} lines`);
}

/** Places inside lines all over the files, as many as wanted; what belongs there is the rest of the line. */
function sample(files: readonly SourceFile[], count: number): string {
  const all = files.flatMap((file) =>
    evaluationPositions(file, Number.MAX_SAFE_INTEGER, SEED)
      .filter(({ atStart }) => !atStart)
      .map((position) => documentAt(file, position))
      .filter(({ rest }) => rest.length <= LONGEST_SOLUTION_CHARS)
      .map((place) => lineOf(file, place)),
  );
  const chosen = sampleInOrder(all, count, keyedRandom(SEED, 'judge sample'));
  return `${chosen.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function lineOf(
  file: SourceFile,
  { text, caret, rest }: ReturnType<typeof documentAt>,
): { prompt: string; solutions: string[] } {
  const { path, prefix, suffix } = promptWindow(text, caret, file.path);
  const prompt = promptText([
    { marker: '<|file_sep|>' },
    { text: `${path}\n` },
    { marker: MARKERS.prefix },
    { text: prefix },
    { marker: MARKERS.suffix },
    { text: suffix },
    { marker: MARKERS.middle },
  ]);
  return { prompt, solutions: [rest] };
}

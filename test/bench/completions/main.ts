/**
 * `npm run bench:completions`: what each source of context and each filter brings, on code bases that the embedded
 * model was never trained on. Prints Markdown; `--report FILE` writes every answer as JSON.
 *
 * `--model` takes any GGUF, `--corpora a,b` some of the code bases, `--folder DIR` another one, `--quick` two places
 * of each file.
 */
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import cliProgress from 'cli-progress';
import { CONTEXT_SOURCES } from '../../../extension/common/context/types.ts';
import { embeddedModelPath, parsePositive } from '../../../trainer/cli/options.ts';
import { loadEngine } from '../../../trainer/inference/engine.ts';
import type { GpuChoice } from '../../../trainer/inference/llama.ts';
import { readSourceFiles, splitFiles, type SourceFile } from '../../../trainer/replay/files.ts';
import { evaluationPositions } from '../../../trainer/replay/positions.ts';
import { workspaceOf } from '../../../trainer/replay/workspace.ts';
import { createLogger } from '../../../trainer/server/shared/logging.ts';
import { corpusFolder, readCorpora } from './corpora.ts';
import { askAt, type Answer, type Arm } from './measure.ts';
import { contextTable, filterTable } from './report.ts';

const SEED = 1;
const PLACES_PER_FILE = 6;
const QUICK_PLACES_PER_FILE = 2;
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache', 'bench');

/** Its answers are those that the filters are measured on. */
const LAST_ARM = 'all';
const ARMS: Arm[] = [
  { name: 'none', sources: [] },
  ...CONTEXT_SOURCES.map((source) => ({ name: source, sources: [source] })),
  { name: LAST_ARM, sources: CONTEXT_SOURCES },
];

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: embeddedModelPath() },
    gpu: { type: 'string', default: 'auto' },
    threads: { type: 'string' },
    corpora: { type: 'string', default: '' },
    folder: { type: 'string' },
    places: { type: 'string' },
    quick: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});
const places = values.places
  ? parsePositive(values.places)
  : values.quick
    ? QUICK_PLACES_PER_FILE
    : PLACES_PER_FILE;
const folders =
  values.folder === undefined
    ? readCorpora(values.corpora.split(',').filter(Boolean)).map((corpus) => ({
        title: `${corpus.name} (${corpus.language}, ${corpus.npm ?? corpus.pypi})`,
        folder: corpusFolder(corpus, CACHE),
      }))
    : [{ title: basename(resolve(values.folder)), folder: resolve(values.folder) }];

const engine = await loadEngine({
  modelPath: resolve(values.model),
  gpu: values.gpu as GpuChoice,
  ...(values.threads ? { threads: parsePositive(values.threads) } : {}),
  dataDir: null,
  logger: createLogger('warn'),
});
console.log(`Model ${engine.model.name}, ${engine.device}, ${engine.threads} threads\n`);
const everything: Answer[] = [];
for (const { title, folder } of folders) {
  const files = await readSourceFiles(folder);
  const answers = await askEverywhere(files);
  everything.push(...answers.filter((answer) => answer.arm === LAST_ARM));
  const measured = new Set(answers.map((answer) => answer.path)).size;
  console.log(
    `## ${title}\n\n${answers.length / ARMS.length} places in ${measured} of ${files.length} files\n`,
  );
  console.log(
    `${contextTable(
      ARMS.map((arm) => arm.name),
      answers,
    )}\n`,
  );
  if (values.report) writeFileSync(values.report, JSON.stringify({ title, answers }) + '\n', { flag: 'a' });
}
console.log(`## Filters, over all code bases with all context\n\n${filterTable(everything)}`);
await engine.dispose();

/** The arms take turns at each place, so that a busy moment of the machine meets all of them. */
async function askEverywhere(files: SourceFile[]): Promise<Answer[]> {
  const workspace = workspaceOf(files);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const positions = splitFiles(files).heldOut.flatMap((file) => evaluationPositions(file, places, SEED));
  const bar = new cliProgress.SingleBar({ stream: process.stderr }, cliProgress.Presets.shades_classic);
  if (process.stderr.isTTY) bar.start(positions.length, 0);
  const answers: Answer[] = [];
  for (const position of positions) {
    for (const arm of ARMS)
      answers.push(await askAt(engine, workspace, byPath.get(position.path)!, position, arm));
    bar.increment();
  }
  bar.stop();
  return answers;
}

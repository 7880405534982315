/**
 * `npm run bench:completions`: what each source of context and each filter brings, on code bases that the embedded
 * model was never trained on. Prints Markdown; `--report FILE` writes every answer as JSON.
 *
 * `--arms default` leaves the single sources out, `--model` takes any GGUF, `--corpora a,b` some of the code bases, `--folder DIR` another one, `--quick` two places
 * of each file.
 */
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import cliProgress from 'cli-progress';
import { ContextBudget } from '../../../extension/common/context/budget.ts';
import { DEFAULT_CONTEXT_PLAN } from '../../../extension/common/context/pack.ts';
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

/** Of a source alone, and of all of them: the latency limit left aside. */
const SINGLE_TOKENS = 256;
const ALL_TOKENS = 400;
/** What the extension does; its answers are those that the filters are measured on. */
const DEFAULT_ARM = 'default';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: embeddedModelPath() },
    gpu: { type: 'string', default: 'auto' },
    threads: { type: 'string' },
    corpora: { type: 'string', default: '' },
    folder: { type: 'string' },
    places: { type: 'string' },
    arms: { type: 'string' },
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
const budget = new ContextBudget();
const ALL_ARMS: Arm[] = [
  { name: 'none', sources: [], budgetTokens: 0 },
  ...CONTEXT_SOURCES.map((source) => ({ name: source, sources: [source], budgetTokens: SINGLE_TOKENS })),
  { name: 'all', sources: CONTEXT_SOURCES, budgetTokens: ALL_TOKENS },
  {
    name: DEFAULT_ARM,
    sources: DEFAULT_CONTEXT_PLAN.sources,
    get budgetTokens() {
      return budget.tokens;
    },
  },
];
const wanted = values.arms?.split(',');
// Compared with the first, and the filters are measured on the last.
const ARMS = ALL_ARMS.filter(
  ({ name }, i) => i === 0 || name === DEFAULT_ARM || wanted === undefined || wanted.includes(name),
);
const armNames = ARMS.map((arm) => arm.name);
const everything: Answer[] = [];
for (const { title, folder } of folders) {
  const files = await readSourceFiles(folder);
  const answers = await askEverywhere(files);
  // The same path may be in two code bases.
  everything.push(...answers.map((answer) => ({ ...answer, path: `${title}: ${answer.path}` })));
  const measured = new Set(answers.map((answer) => answer.path)).size;
  console.log(
    `## ${title}\n\n${answers.length / ARMS.length} places in ${measured} of ${files.length} files; default budget ${budget.tokens} tokens\n`,
  );
  console.log(`${contextTable(armNames, answers)}\n`);
  if (values.report) writeFileSync(values.report, JSON.stringify({ title, answers }) + '\n', { flag: 'a' });
}
if (folders.length > 1) console.log(`## All together\n\n${contextTable(armNames, everything)}\n`);
const byDefault = everything.filter((answer) => answer.arm === DEFAULT_ARM);
console.log(`## Filters, with the default context\n\n${filterTable(byDefault)}`);
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
    for (const arm of ARMS) {
      const answer = await askAt(engine, workspace, byPath.get(position.path)!, position, arm);
      budget.read(answer.evaluatedTokens, answer.promptMs);
      answers.push(answer);
    }
    bar.increment();
  }
  bar.stop();
  return answers;
}

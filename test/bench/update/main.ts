/**
 * `npm run bench:update`: how long one update takes, the gate included, and which share each phase has: the first of
 * a learner and the next, as `hone serve` asks for them. `--model PATH` takes another model, `--shapes NAME` random
 * weights at published shapes, `--gpu KIND` another device, `--events N` other than 16.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { LearnerRequest, Sample, ScoreItem } from '../../../extension/common/contracts/index.ts';
import { embeddedModelPath, parsePositive } from '../../../trainer/cli/options.ts';
import { GPU_CHOICES } from '../../../trainer/config/schema.ts';
import { learnerEntry } from '../../../trainer/coordinator/learnerEntry.ts';
import { LearnerProcess, type LearnerUpdated } from '../../../trainer/coordinator/learnerProcess.ts';
import { readGguf } from '../../../trainer/ggml/gguf.ts';
import { loadGgml } from '../../../trainer/ggml/library.ts';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { readArchitecture } from '../../../trainer/model/architecture.ts';
import { table } from '../../../trainer/replay/table.ts';
import { createLogger } from '../../../trainer/server/shared/logging.ts';
import { SHAPES, writeRandomModel, type ShapeName } from './randomModel.ts';

/** Lengths as a replay of the fixture's code has them in the mean, tokens. */
const PROMPT_TOKENS = 213;
const SHOWN_TOKENS = 10;
const TYPED_TOKENS = 10;
const CONTEXT_TOKENS = 40;
const GENERAL_TOKENS = 190;
const GENERAL_TEXTS = 30;
/** Held-out events at the first update of a day's learning and the growth with each further one. */
const HELD_OUT = 16;
const NEW_HELD_OUT = 4;
/** Ids from which random tokens are drawn: in every vocabulary. */
const FIRST_ID = 300;
const LAST_ID = 20_000;
const SILENCE_MS = 600_000;

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    shapes: { type: 'string' },
    gpu: { type: 'string', default: 'cpu' },
    threads: { type: 'string', default: '2' },
    events: { type: 'string', default: '16' },
    updates: { type: 'string', default: '2' },
  },
});
const generator = xoroshiro128plus(1);
let textsMade = 0;
const folder = mkdtempSync(join(tmpdir(), 'hone-bench-update-'));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const gpu = GPU_CHOICES.find((choice) => choice === values.gpu);
  if (gpu === undefined) throw new Error(`--gpu is one of ${GPU_CHOICES.join(', ')}, not ${values.gpu}.`);
  const modelPath = pathOfModel();
  const config = defaultUpdateConfig(readArchitecture(readGguf(loadGgml('cpu'), modelPath)).layers);
  const learner = new LearnerProcess({
    entry: learnerEntry(),
    silenceMs: SILENCE_MS,
    logger: createLogger('error'),
    init: {
      type: 'init',
      modelPath,
      gpu,
      threads: parsePositive(values.threads),
      firstLayer: config.firstLayer,
      weightType: config.weightType,
      endTokens: [0],
      cacheBytes: 256 * 2 ** 20,
    },
  });
  try {
    const { backend, weightType } = await learner.start();
    console.log(
      `${modelPath}\n${backend}, ${values.threads} threads, gradients through ${weightType} weights\n`,
    );
    const general = texts(GENERAL_TEXTS, GENERAL_TOKENS);
    const heldOut = texts(HELD_OUT, PROMPT_TOKENS);
    const rows = [['update', 'lower', 'reference', 'train', 'gate', 'all', 'shares']];
    let parent = { version: 0, path: null as string | null, scale: 1 };
    for (let version = 1; version <= parsePositive(values.updates); version++) {
      const candidatePath = join(folder, `adapter-${version}.gguf`);
      const request: Extract<LearnerRequest, { type: 'update' }> = {
        type: 'update',
        id: `update ${version}`,
        samples: samples(parsePositive(values.events), parent.version),
        parent,
        adapters: [parent],
        candidatePath,
        candidateVersion: version,
        heldOut,
        general,
        config,
        seed: version,
      };
      rows.push(rowOf(version, await learner.update(request, () => {})));
      parent = { version, path: candidatePath, scale: 1 };
      heldOut.push(...texts(NEW_HELD_OUT, PROMPT_TOKENS));
    }
    console.log(table(rows));
  } finally {
    await learner.dispose();
  }
}

function pathOfModel(): string {
  if (values.shapes === undefined) return values.model ?? embeddedModelPath();
  if (!(values.shapes in SHAPES))
    throw new Error(`--shapes is one of ${Object.keys(SHAPES).join(', ')}, not ${values.shapes}.`);
  const path = join(folder, `${values.shapes}.gguf`);
  writeRandomModel(path, values.shapes as ShapeName);
  return path;
}

function rowOf(version: number, { seconds }: LearnerUpdated): string[] {
  const phases = ['lower', 'reference', 'train', 'gate'].map((phase) => seconds[phase] ?? 0);
  const all = phases.reduce((sum, s) => sum + s, 0);
  const shares = phases.map((s) => `${((100 * s) / all).toFixed(0)}`).join(' / ');
  return [`${version}`, ...[...phases, all].map((s) => `${s.toFixed(1)} s`), `${shares} %`];
}

function samples(count: number, adapterVersion: number): Sample[] {
  return Array.from({ length: count }, (_, i) => ({
    eventId: `${adapterVersion}-${i}`,
    prompt: tokens(PROMPT_TOKENS),
    policy: {
      tokens: tokens(SHOWN_TOKENS),
      rewarded: SHOWN_TOKENS,
      advantage: i % 4 === 0 ? 0.75 : -0.25,
      weight: 1,
      temperature: 0.3,
      adapterVersion,
      adapterScale: 1,
    },
    supervised: { source: 'correction' as const, tokens: tokens(TYPED_TOKENS), weight: 1 },
    context: { spans: [[PROMPT_TOKENS - CONTEXT_TOKENS, PROMPT_TOKENS] as [number, number]], weight: 1 },
  }));
}

function texts(count: number, promptTokens: number): ScoreItem[] {
  return Array.from({ length: count }, () => ({
    id: `text ${++textsMade}`,
    prompt: tokens(promptTokens),
    target: tokens(TYPED_TOKENS),
  }));
}

function tokens(count: number): number[] {
  return Array.from({ length: count }, () => uniformInt(generator, FIRST_ID, LAST_ID));
}

import type { AdapterRef, Score, ScoreItem } from '../../extension/common/contracts/index.ts';
import { MAX_COMPLETION_TOKENS } from '../../extension/common/prompt/request.ts';
import { promptWindow } from '../../extension/common/prompt/window.ts';
import { learnerEntry } from '../coordinator/learnerEntry.ts';
import { LearnerProcess } from '../coordinator/learnerProcess.ts';
import { loadEngine, type EngineOptions } from '../inference/engine.ts';
import type { GpuChoice } from '../inference/llama.ts';
import type { Engine } from '../inference/types.ts';
import { chunks } from '../learning/chunks.ts';
import { defaultFirstLayer } from '../learning/config.ts';
import { buildPrompt } from '../server/inference/prompt.ts';
import type { Logger } from '../server/shared/logging.ts';
import type { SourceFile } from './files.ts';
import { documentAt, type Position } from './positions.ts';
import type { PairedSums } from './statistics.ts';
import type { ContextOf } from './workspace.ts';

const SILENCE_MS = 120_000;
const CACHE_BYTES = 512 * 1024 * 1024;
/** Items of one request to a learner: it says nothing until all of them are scored. */
const ITEMS_PER_REQUEST = 8;
/** Each holds the model once more. */
const MOST_PROCESSES = 4;

interface ScoringOptions {
  modelPath: string;
  gpu: GpuChoice;
  /** Processes that score side by side, a thread each; absent: the physical cores. */
  threads?: number | undefined;
  /** Lowest layer that the adapters change; absent: the default of the model. */
  firstLayer?: number | undefined;
  /** Override of the template, as the services have it. */
  fimTemplate?: EngineOptions['fimTemplate'];
  /** What the prompts show beside the document. */
  context: ContextOf;
  logger: Logger;
}

/**
 * Scores what really stands at the positions, teacher-forced, under the base and under each adapter, with the
 * learner's own forward pass. Prompts are the ones that the services build.
 */
export async function scorePositions(
  files: readonly SourceFile[],
  positions: readonly Position[],
  adapters: readonly AdapterRef[],
  options: ScoringOptions,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Score[][]> {
  const { items, layers, endTokens, threads } = await scoreItems(files, positions, options);
  const parts = chunks(items, ITEMS_PER_REQUEST);
  const scores = adapters.map(() => parts.map((): Score[] => []));
  let done = 0;
  const scoreParts = async (worker: number, workers: number): Promise<void> => {
    const learner = new LearnerProcess({
      entry: learnerEntry(),
      silenceMs: SILENCE_MS,
      logger: options.logger,
      init: {
        type: 'init',
        modelPath: options.modelPath,
        gpu: options.gpu,
        threads: 1,
        firstLayer: options.firstLayer ?? defaultFirstLayer(layers),
        // Not chosen by speed: the same scores on every run.
        weightType: 'bf16',
        endTokens,
        cacheBytes: CACHE_BYTES,
      },
    });
    try {
      await learner.start();
      for (let part = worker; part < parts.length; part += workers) {
        for (const [i, adapter] of adapters.entries()) {
          const id = `${adapter.version}-${part}`;
          scores[i]![part] = await learner.score({ type: 'score', id, items: parts[part]!, adapter });
          onProgress((done += parts[part]!.length), items.length * adapters.length);
        }
      }
    } finally {
      await learner.dispose();
    }
  };
  // Processes of one thread share nothing, so they don't wait for each other as the threads of one graph do.
  const workers = Math.min(threads, MOST_PROCESSES, parts.length);
  await Promise.all(Array.from({ length: workers }, (_, worker) => scoreParts(worker, workers)));
  return scores.map((byPart) => byPart.flat());
}

/** What is paired by file for the intervals: log-probability a token, and exact lines a position. */
export function scoreSums(
  positions: readonly Position[],
  base: readonly Score[],
  adapter: readonly Score[],
): { logprob: PairedSums[]; exact: PairedSums[] } {
  const pairs = positions.map((position, i) => ({
    key: position.path,
    before: base[i]!,
    after: adapter[i]!,
  }));
  return {
    logprob: pairs.map(({ key, before, after }) => ({
      key,
      before: before.logprob,
      after: after.logprob,
      weight: before.tokens,
    })),
    exact: pairs.map(({ key, before, after }) => ({
      key,
      before: before.exact ? 1 : 0,
      after: after.exact ? 1 : 0,
      weight: 1,
    })),
  };
}

/** The positions as token ids, built as the services build them, and what the learner needs to know of the model. */
async function scoreItems(
  files: readonly SourceFile[],
  positions: readonly Position[],
  options: ScoringOptions,
): Promise<{ items: ScoreItem[]; layers: number; endTokens: number[]; threads: number }> {
  const { modelPath, logger } = options;
  const engine = await loadEngine({
    modelPath,
    gpu: 'cpu',
    dataDir: null,
    logger,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    ...(options.fimTemplate === undefined ? {} : { fimTemplate: options.fimTemplate }),
  });
  try {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const items = positions.map((position) =>
      scoreItem(engine, byPath.get(position.path)!, position, options.context),
    );
    const { layers, endTokens } = engine.model;
    return { items, layers, endTokens, threads: engine.threads };
  } finally {
    await engine.dispose();
  }
}

function scoreItem(engine: Engine, file: SourceFile, position: Position, context: ContextOf): ScoreItem {
  const { text, caret, rest } = documentAt(file, position);
  const window = promptWindow(text, caret, file.path);
  const { prefix, suffix, path } = window;
  const document = { prefix, suffix, path, files: context(window, text) };
  const source = { kind: 'document', document } as const;
  return {
    id: `${position.path}:${position.line}:${position.column}`,
    prompt: buildPrompt(engine, source, MAX_COMPLETION_TOKENS).tokens,
    target: engine.tokenize(rest),
  };
}

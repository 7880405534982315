/**
 * The tokenizers of real code models: vocabulary-only GGUF files, which llama.cpp keeps for its own tests and which lie
 * in the copy of its repository that node-llama-cpp ships. Nothing is fetched from a network.
 */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getLlama, LlamaLogLevel, readGgufFileInfo, type Llama, type LlamaModel } from 'node-llama-cpp';
import { Vocabulary } from '../../trainer/inference/vocabulary.ts';

const LARGEST_FILE_BYTES = 64 * 1024 * 1024;
const LENGTH_BYTES = 8;

/**
 * Tokens 151646 to 151664 of Qwen2.5, as its tokenizer_config.json lists them. The file is of Qwen2, which has the same
 * tokens before them and nothing but placeholders there.
 */
const QWEN25_ADDED = [
  '<|object_ref_start|>',
  '<|object_ref_end|>',
  '<|box_start|>',
  '<|box_end|>',
  '<|quad_start|>',
  '<|quad_end|>',
  '<|vision_start|>',
  '<|vision_end|>',
  '<|vision_pad|>',
  '<|image_pad|>',
  '<|video_pad|>',
  '<tool_call>',
  '</tool_call>',
  '<|fim_prefix|>',
  '<|fim_middle|>',
  '<|fim_suffix|>',
  '<|fim_pad|>',
  '<|repo_name|>',
  '<|file_sep|>',
];
const QWEN25_FIRST_ADDED = 151_646;

/** File of llama.cpp's `models` folder, and tokens that are spelled otherwise in the model that it stands for. */
const SOURCES = {
  qwen: {
    file: 'qwen2',
    renamed: QWEN25_ADDED.map((name, index) => [`[PAD${QWEN25_FIRST_ADDED + index}]`, name] as const),
  },
  starcoder2: { file: 'starcoder', renamed: [] },
  starcoder: { file: 'refact', renamed: [] },
  deepseek: { file: 'deepseek-coder', renamed: [] },
  // Code Llama's tokenizer is Llama 2's and sixteen tokens more; here its markers take the place of rare characters.
  codellama: {
    file: 'llama-spm',
    renamed: [
      ['边', '▁<PRE>'],
      ['还', '▁<SUF>'],
      ['黃', '▁<MID>'],
      ['왕', '▁<EOT>'],
    ],
  },
} satisfies Record<string, { file: string; renamed: (readonly [from: string, to: string])[] }>;

export type RealFamily = keyof typeof SOURCES;
export const REAL_FAMILIES = Object.keys(SOURCES) as RealFamily[];

export interface RealVocabularies {
  /** Loads one; `fimChoice` as in the settings. */
  open(family: RealFamily, fimChoice?: string): Promise<Vocabulary>;
  close(): Promise<void>;
}

/** Unpacks the repository into a temporary folder, which goes with `close`. */
export async function openRealVocabularies(): Promise<RealVocabularies> {
  const folder = mkdtempSync(join(tmpdir(), 'hone-vocabularies-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], {
      maxBuffer: LARGEST_FILE_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  git('init', '--quiet', '--bare');
  git('fetch', '--quiet', bundlePath(), 'HEAD');
  const llama = await openLlama();
  const models: LlamaModel[] = [];
  return {
    async open(family, fimChoice) {
      const { file, renamed } = SOURCES[family];
      let bytes: Buffer = git('cat-file', 'blob', `FETCH_HEAD:models/ggml-vocab-${file}.gguf`);
      for (const [from, to] of renamed) bytes = renameToken(bytes, from, to);
      const path = join(folder, `${family}.gguf`);
      writeFileSync(path, bytes);
      const info = await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false });
      const model = await llama.loadModel({ modelPath: path, vocabOnly: true, gpuLayers: 0 });
      models.push(model);
      return new Vocabulary(model, info, fimChoice);
    },
    async close() {
      for (const model of models) await model.dispose();
      await llama.dispose();
      rmSync(folder, { recursive: true });
    },
  };
}

function bundlePath(): string {
  const entry = createRequire(import.meta.url).resolve('node-llama-cpp');
  return join(dirname(entry), '..', 'llama', 'gitRelease.bundle');
}

function openLlama(): Promise<Llama> {
  return getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    // It asks llama.cpp for the file's needs first, which complains that there are no weights.
    logLevel: LlamaLogLevel.disabled,
    maxThreads: 1,
  });
}

/** Replaces one string of the file: its length in eight bytes, then its text. Nothing in it counts bytes further on. */
function renameToken(bytes: Buffer, from: string, to: string): Buffer {
  const place = bytes.indexOf(stringBytes(from));
  if (place < 0) throw new Error(`The file has no token "${from}".`);
  const end = place + stringBytes(from).length;
  return Buffer.concat([bytes.subarray(0, place), stringBytes(to), bytes.subarray(end)]);
}

function stringBytes(text: string): Buffer {
  const body = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64LE(BigInt(body.length));
  return Buffer.concat([length, body]);
}

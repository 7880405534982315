/** What can be told of a model file before it is loaded: that it is there, is GGUF, and is of a kind Hone serves. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readGgufFileInfo, type GgufFileInfo } from 'node-llama-cpp';
import * as z from 'zod';
import { HoneError } from '../server/shared/errors.ts';
import { makePrivateFolder } from '../store/folder.ts';

/** Architectures that the learner can train; others are refused by name. */
const SUPPORTED_ARCHITECTURES = ['llama', 'qwen2'];

/** Magic, version, number of tensors, number of keys. */
const HEADER_BYTES = 24;
const GGUF_VERSIONS = [2, 3];
/** A key's length, its type, and a byte. */
const ENTRY_BYTES_MIN = 13;
const READING_LIMIT_MS = 60_000;

const HASH_FILE = 'model-hashes.json';
const hashCacheSchema = z.record(
  z.string(),
  z.object({ size: z.number(), mtimeMs: z.number(), sha256: z.string() }),
);

/** Metadata and tensor shapes of a model file, or a coded error that names the file and what to do. */
export async function readModelFile(path: string): Promise<GgufFileInfo> {
  if (!existsSync(path) || !statSync(path).isFile()) {
    const what = existsSync(path)
      ? `${path} is a folder, and a model is one file`
      : `There is no model file at ${path}`;
    throw new HoneError(
      'model_missing',
      `${what}. Give the path of a GGUF file with --model, or leave it out to use the embedded model.`,
      { param: '--model' },
    );
  }
  const info = await readGguf(path);
  const architecture = info.metadata.general.architecture;
  if (!SUPPORTED_ARCHITECTURES.includes(architecture)) {
    throw new HoneError(
      'model_unsupported',
      `The model ${path} is of the architecture "${architecture}". Hone serves and trains ${SUPPORTED_ARCHITECTURES.join(' and ')}: choose such a model with --model.`,
      { param: '--model' },
    );
  }
  return info;
}

/** A file that can't be read as GGUF, or breaks off, is corrupt. */
export function corruptModel(path: string, cause: unknown): HoneError {
  const why = cause instanceof Error ? ` (${cause.message})` : '';
  return new HoneError(
    'model_corrupt',
    `The model file ${path} can't be read${why}. It is damaged or no GGUF file: fetch it again, compare its SHA-256, or choose another with --model.`,
    { param: '--model', cause },
  );
}

/** SHA-256 in hex. With a data folder, the hash is kept there by path, size and time of change. */
export async function hashModelFile(path: string, dataDir: string | null): Promise<string> {
  const full = resolve(path);
  const { size, mtimeMs } = statSync(full);
  const cache = dataDir === null ? {} : readHashCache(dataDir);
  const known = cache[full];
  if (known?.size === size && known.mtimeMs === mtimeMs) return known.sha256;
  const hash = createHash('sha256');
  await pipeline(createReadStream(full), hash);
  const sha256 = hash.digest('hex');
  if (dataDir !== null) writeHashCache(dataDir, { ...cache, [full]: { size, mtimeMs, sha256 } });
  return sha256;
}

async function readGguf(path: string): Promise<GgufFileInfo> {
  await checkHeader(path);
  const signal = AbortSignal.timeout(READING_LIMIT_MS);
  try {
    return await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false, signal });
  } catch (error) {
    throw corruptModel(path, error);
  }
}

/** The reader takes what lies beyond a file's end for zeros, and would read a count that is garbage for hours. */
async function checkHeader(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read({ buffer: Buffer.alloc(HEADER_BYTES), position: 0 });
    if (buffer.toString('latin1', 0, 4) !== 'GGUF')
      throw corruptModel(path, new Error('it does not begin with "GGUF"'));
    const version = buffer.readUInt32LE(4);
    if (!GGUF_VERSIONS.includes(version)) throw corruptModel(path, new Error(`its version is ${version}`));
    const entries = buffer.readBigUInt64LE(8) + buffer.readBigUInt64LE(16);
    if (entries * BigInt(ENTRY_BYTES_MIN) > BigInt(size))
      throw corruptModel(path, new Error(`it has no room for its ${entries} entries`));
  } finally {
    await file.close();
  }
}

function readHashCache(dataDir: string): z.infer<typeof hashCacheSchema> {
  try {
    return hashCacheSchema.parse(JSON.parse(readFileSync(join(dataDir, HASH_FILE), 'utf8')));
  } catch {
    // No cache yet, or a damaged one: the hash is computed anew.
    return {};
  }
}

function writeHashCache(dataDir: string, cache: z.infer<typeof hashCacheSchema>): void {
  makePrivateFolder(dataDir);
  const path = join(dataDir, HASH_FILE);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(cache));
  renameSync(draft, path);
}

import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { parseJson } from './json.ts';

const TOKEN_BYTES = 32;
const FINGERPRINT_HEX_DIGITS = 16;

const tokensSchema = z.object({ inference: z.string().min(1), feedback: z.string().min(1) });
export type Tokens = z.infer<typeof tokensSchema>;

/**
 * The bearer tokens of this installation. The first window makes them; two windows that start together end up with
 * the same ones, because the file appears whole and only once. Readable by the user alone.
 */
export async function installationTokens(path: string): Promise<Tokens> {
  const existing = await read(path);
  if (existing) return existing;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const tokens: Tokens = { inference: newToken(), feedback: newToken() };
  const partial = `${path}.${process.pid}.${newToken().slice(0, 8)}`;
  await writeFile(partial, JSON.stringify(tokens), { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(partial, path);
    return tokens;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const theirs = await read(path);
    if (!theirs) throw new Error(`${path} is not readable as tokens. Delete it to get new ones.`);
    return theirs;
  } finally {
    await rm(partial, { force: true });
  }
}

/** What the companion's lock file says of a token without telling it. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, FINGERPRINT_HEX_DIGITS);
}

async function read(path: string): Promise<Tokens | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = tokensSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${path} is not readable as tokens. Delete it to get new ones.`);
  return parsed.data;
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Scores that a language model has given, on disk: what was asked once is not asked again. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hashText } from '../store/encoding.ts';
import { makePrivateFolder } from '../store/folder.ts';

const FILE = 'verdicts.jsonl';

const entrySchema = z.object({ key: z.string(), score: z.number().min(0).max(1) });

/** Holds hashes and scores, no text. One line a verdict; a line that a killed process left half is passed over. */
export class VerdictCache {
  private readonly path: string;
  private readonly scores = new Map<string, number>();

  constructor(folder: string) {
    makePrivateFolder(folder);
    this.path = join(folder, FILE);
    const lines = linesOf(this.path);
    for (const line of lines) {
      const entry = parse(line);
      if (entry !== null) this.scores.set(entry.key, entry.score);
    }
    // The half line would swallow the next one.
    if ((lines.at(-1) ?? '') !== '') appendFileSync(this.path, '\n');
  }

  /** Key of a question: the judge's model, the version of the question's wording, and its texts. */
  static key(model: string, promptVersion: string, texts: readonly string[]): string {
    return hashText(JSON.stringify([model, promptVersion, ...texts]));
  }

  get(key: string): number | undefined {
    return this.scores.get(key);
  }

  set(key: string, score: number): void {
    this.scores.set(key, score);
    appendFileSync(this.path, `${JSON.stringify({ key, score })}\n`, { mode: 0o600 });
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function parse(line: string): z.infer<typeof entrySchema> | null {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

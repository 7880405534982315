/** Data of a judged run: one JSON object a line, with the prompt in some family's FIM markers and what may stand there. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { takeApartFim } from '../../extension/common/prompt/fimParse.ts';
import type { FimDocument } from '../../extension/common/prompt/fim.ts';
import { HoneError } from '../server/shared/errors.ts';

export interface JudgeItem {
  /** File and line, as messages name it. */
  id: string;
  /** The line as it was written, markers included. */
  prompt: string;
  /** What stands before and after the gap. */
  document: FimDocument;
  /** Texts that belong into the gap; any of them is right. */
  solutions: string[];
}

/** So many faults are told at once. */
const MOST_FAULTS = 5;

const lineSchema = z.object({
  prompt: z.string(),
  solutions: z.array(z.string().regex(/\S/, 'a solution has no visible character')).min(1),
});

/**
 * Items of the files, in their order. Blank lines are passed over; other fields than the two are ignored.
 *
 * @throws HoneError `dataset_invalid` that names file and line of what is wrong, or the file that is empty or unreadable.
 */
export function readDataset(paths: readonly string[]): JudgeItem[] {
  return paths.flatMap(readFile);
}

function readFile(path: string): JudgeItem[] {
  const items: JudgeItem[] = [];
  const faults: string[] = [];
  for (const [index, line] of textOf(path).split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const place = `${path}:${index + 1}`;
    const read = readLine(line);
    if (typeof read === 'string') faults.push(`${place}: ${read}`);
    else items.push({ id: place, ...read });
  }
  if (faults.length > 0) throw invalid(faultsText(faults));
  if (items.length === 0) throw invalid(`${path} has no line of data. Give at least one.`);
  return items;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw invalid(`${path} can't be read: ${(error as Error).message}. Correct the path.`);
  }
}

/** What the line says, or what is wrong with it. */
function readLine(line: string): Omit<JudgeItem, 'id'> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `this is no JSON (${(error as Error).message})`;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    return path.length === 0 ? message : `"${path.map(String).join('.')}": ${message}`;
  }
  const { prompt, solutions } = parsed.data;
  const apart = takeApartFim(prompt);
  if (apart === null)
    return '"prompt" is no complete fill-in-the-middle prompt: each marker of one family has to stand in it once';
  return { prompt, document: apart.document, solutions };
}

function faultsText(faults: string[]): string {
  const more = faults.length - MOST_FAULTS;
  const told = faults.slice(0, MOST_FAULTS).join('\n');
  return more > 0 ? `${told}\nand ${more} more lines. Correct them.` : `${told}\nCorrect it.`;
}

function invalid(message: string): HoneError {
  return new HoneError('dataset_invalid', message);
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyedRandom } from '../../../trainer/replay/random.ts';

const FIXTURE = join(import.meta.dirname, '..', '..', '..', 'trainer', 'replay', 'fixture', 'code');
const FILE = 'src/client/streamText.ts';
const SEED = 1;
/** A wrong key and the backspace that takes it back. */
const SLIP_SHARE = 0.03;
/** A click elsewhere in the file. */
const JUMP_SHARE = 0.01;

/** The document after a key: what was typed so far, and the file below the line. */
export interface Keystroke {
  text: string;
  caret: number;
}

/** A real file as it is typed key by key, with slips and jumps; the same every time. */
export async function typingSession(keys: number): Promise<{ path: string; strokes: Keystroke[] }> {
  const file = await readFile(join(FIXTURE, FILE), 'utf8');
  const random = keyedRandom(SEED, FILE);
  const strokes: Keystroke[] = [];
  const show = (before: string, caret: number): void => {
    const lineEnd = file.indexOf('\n', caret);
    strokes.push({ text: before + (lineEnd < 0 ? '' : file.slice(lineEnd)), caret: before.length });
  };
  let caret = Math.floor(file.length / 3);
  while (strokes.length < keys) {
    if (caret >= file.length || random.chance(JUMP_SHARE)) caret = random.below(file.length);
    if (random.chance(SLIP_SHARE)) {
      show(`${file.slice(0, caret)}~`, caret);
      show(file.slice(0, caret), caret);
    }
    caret++;
    show(file.slice(0, caret), caret);
  }
  return { path: FILE, strokes: strokes.slice(0, keys) };
}

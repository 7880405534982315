/**
 * `npm run bench:ghost-text`: the time from a key to the suggestion on the screen, in the real workbench with the
 * packaged extension and its default settings, on real code that is typed again: once with the learner idle, once
 * while an update is under way. `--places N` asks at more places. Needs `npm run package` first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parsePositive } from '../../../trainer/cli/options.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import { table } from '../../../trainer/replay/table.ts';
import { HoneWorkbench } from '../../e2e/harness/hone.ts';
import { ROOT } from '../../e2e/harness/paths.ts';
import type { Workbench } from '../../e2e/harness/workbench.ts';

const SOURCE = join(ROOT, 'trainer/replay/fixture/code/src/client/search.ts');
const SEED = 1;
/** A place is inside of a line that is long enough to have one. */
const LINE_UNITS_MIN = 16;
const ANSWER_LIMIT_MS = 4000;
/** Between keys, in milliseconds. */
const KEY_MS = 140;
/** Keys that are typed at a place before the one that is timed, so that it is one of many. */
const KEYS_BEFORE = 4;

/** Runs in the page: begins to wait for the next key. A call of its own, so that the key can't come before it. */
const AWAIT_KEY = `void (globalThis.honeGhostText = new Promise((resolve) => {
  document.addEventListener('keydown', () => {
    const start = performance.now();
    const look = () => {
      const elapsed = performance.now() - start;
      if (document.querySelector('.ghost-text-decoration, .ghost-text-decoration-preview')) resolve(elapsed);
      else if (elapsed > ${ANSWER_LIMIT_MS}) resolve(null);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true });
}))`;
/** Runs in the page: milliseconds from that key to ghost text on the screen, that key's or one that stays. */
const KEY_TO_GHOST_TEXT = 'globalThis.honeGhostText';

interface Place {
  /** 1-based line behind which it is typed again. */
  line: number;
  typed: string;
}

const { values } = parseArgs({ options: { places: { type: 'string', default: '24' } } });
const text = readFileSync(SOURCE, 'utf8');
const places = placesIn(text, parsePositive(values.places));
const hone = await HoneWorkbench.start(
  { 'src/code.ts': text },
  { settings: { 'hone.completions.temperature': null } },
);
try {
  const window = await hone.open('src/code.ts');
  await timeAt(window, places[0]!); // The first request waits for what is loaded once.
  const rows = [['learner', 'places', 'shown', 'median', 'p95']];
  rows.push(await pass(window, 'idle', () => true));
  await window.runCommand('Hone: Train Now');
  rows.push(await pass(window, 'learning', async () => isLearning((await hone.trainingStatus()).state)));
  console.log(table(rows));
} finally {
  await hone.stop();
}

/** Times every place while `goesOn` holds, which a place that it didn't hold at the end of isn't counted. */
async function pass(
  window: Workbench,
  name: string,
  goesOn: () => boolean | Promise<boolean>,
): Promise<string[]> {
  const times: number[] = [];
  let asked = 0;
  for (const place of places) {
    const time = await timeAt(window, place);
    if (!(await goesOn())) break;
    asked++;
    if (time !== null) times.push(time);
  }
  const share = (of: number): string => (times.length === 0 ? '–' : `${quantile(times, of).toFixed(0)} ms`);
  return [name, `${asked}`, `${times.length}`, share(0.5), share(0.95)];
}

/** Milliseconds from the last key to ghost text; null: none came. Takes out what it typed. */
async function timeAt(window: Workbench, { line, typed }: Place): Promise<number | null> {
  const { page } = window;
  await window.focusEditor();
  await window.goToEndOfLine(line);
  await page.keyboard.press('Enter');
  await page.keyboard.type(typed.slice(0, -1), { delay: KEY_MS });
  await page.waitForTimeout(KEY_MS);
  await page.evaluate(AWAIT_KEY);
  await page.keyboard.type(typed.at(-1)!);
  const time = await page.evaluate<number | null>(KEY_TO_GHOST_TEXT);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+K');
  return time;
}

function isLearning(state: string): boolean {
  return state === 'training' || state === 'gating';
}

/** Beginnings of lines of the file, at random places after their first keys. */
function placesIn(source: string, count: number): Place[] {
  const random = keyedRandom(SEED, 'ghost text');
  const lines = source.split('\n').map((line, index) => ({ line: index, text: line.trimStart() }));
  const long = lines.filter(({ line, text: own }) => line > 0 && own.length >= LINE_UNITS_MIN);
  const step = long.length / count;
  return Array.from({ length: Math.min(count, long.length) }, (_, i) => {
    const { line, text: own } = long[Math.floor(i * step)]!;
    const end = KEYS_BEFORE + Math.floor(random.share() * (own.length / 2 - KEYS_BEFORE));
    return { line, typed: own.slice(0, Math.max(end, KEYS_BEFORE)) };
  });
}

/**
 * `npm run bench:keystrokes`: what a keystroke costs. Prompt tokens that the model reads for it, the extension host's
 * thread, and what look-ahead does to the request that follows. `--keys N` types more, `--model PATH` asks another.
 */
import { parseArgs } from 'node:util';
import { embeddedModelPath, parsePositive } from '../../../trainer/cli/options.ts';
import { loadEngine } from '../../../trainer/inference/engine.ts';
import { table } from '../../../trainer/replay/table.ts';
import { createLogger } from '../../../trainer/server/shared/logging.ts';
import { quantile } from '../../../trainer/replay/statistics.ts';
import { measureHostThread } from './hostThread.ts';
import { measureLookAhead } from './lookAhead.ts';
import { measurePause } from './pause.ts';
import { measurePromptTokens } from './promptTokens.ts';
import { typingSession } from './session.ts';

const HOST_KEYS = 2000;
const HOST_RUNS = 5;
/** Places at which look-ahead is tried: every so many keys of the session. */
const LOOK_AHEAD_EVERY_KEYS = 5;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '240' },
    model: { type: 'string', default: embeddedModelPath() },
    threads: { type: 'string', default: '1' },
  },
});
const { path, strokes } = await typingSession(parsePositive(values.keys));

console.log("The extension host's thread in a file of 20,000 lines, a keystroke:\n");
const { milliseconds, meanCpuMs, requests } = await measureHostThread(HOST_KEYS, HOST_RUNS);
const share = (of: number) => `${quantile(milliseconds, of).toFixed(2)} ms`;
console.log(
  table([
    ['median', 'p95', 'p99', 'processor, mean', 'requests'],
    [share(0.5), share(0.95), share(0.99), `${meanCpuMs.toFixed(2)} ms`, `${requests} of ${HOST_KEYS}`],
  ]),
);

console.log('\nThe wait before a request, simulated:\n');
console.log(measurePause());

const engine = await loadEngine({
  modelPath: values.model,
  gpu: 'cpu',
  threads: parsePositive(values.threads),
  dataDir: null,
  logger: createLogger('error'),
});
console.log(
  `\nPrompt tokens evaluated a keystroke, ${strokes.length} keystrokes in ${path}, ${engine.model.name}:\n`,
);
console.log(await measurePromptTokens(engine, path, strokes));
console.log('\nWhat look-ahead costs and spares:\n');
const places = strokes.filter((_, index) => index % LOOK_AHEAD_EVERY_KEYS === 0);
console.log(await measureLookAhead(engine, path, places));
await engine.dispose();

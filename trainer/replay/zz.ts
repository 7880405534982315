import { readSourceFiles, splitFiles } from './files.ts';
import { fixedPositions } from './experiment.ts';
import { scorePositions } from './scoring.ts';
import { askServed } from './served.ts';
import { startServices } from './services.ts';
import { HttpCompanion } from './companion.ts';
import { servedItems, worthOf } from './metrics.ts';
import { quantile } from './statistics.ts';
import { createLogger } from '../server/shared/logging.ts';
import { embeddedModelPath } from '../cli/options.ts';
const split = splitFiles(await readSourceFiles('trainer/replay/fixture/code'));
const positions = fixedPositions({ split, positionsPerFile: 10 });
const asked = split.heldOut.flatMap((f) => positions.filter((p) => p.path === f.path).slice(0, 4));
let t = performance.now();
const s = await startServices({ dataDir: '/tmp/hd/b', gpu: 'cpu' });
console.log('start', performance.now() - t);
t = performance.now();
const r = await askServed(new HttpCompanion({ ...s.address }), split.heldOut, asked);
console.log('served', asked.length, performance.now() - t, worthOf(servedItems(r)));
console.log(
  'latency',
  quantile(
    r.map((x) => x.latencyMs),
    0.5,
  ),
  quantile(
    r.map((x) => x.latencyMs),
    0.95,
  ),
);
for (const x of r.slice(0, 20)) console.log(x.accepted, JSON.stringify(x.shown), x.hiddenBy ?? '', x.silent);
await s.stop();
t = performance.now();
const [scores] = await scorePositions(
  split.heldOut,
  positions,
  [{ version: 0, path: null, scale: 1 }],
  { modelPath: embeddedModelPath(), gpu: 'cpu', threads: 2, logger: createLogger('warn') },
  (d, n) => process.stderr.write(`${d}/${n}\r`),
);
console.log('scored', positions.length, performance.now() - t);
const tok = scores!.reduce((a, b) => a + b.tokens, 0);
console.log(
  'lp/token',
  scores!.reduce((a, b) => a + b.logprob, 0) / tok,
  'exact',
  scores!.filter((x) => x.exact).length / scores!.length,
  'silent',
  scores!.filter((x) => x.silent).length / scores!.length,
  'tokens/target',
  tok / scores!.length,
);

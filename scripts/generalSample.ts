/**
 * Draws places of general code, as `trainer/learning/general/replay.json` holds them:
 * `node scripts/generalSample.ts PLACES 'NAME VERSION=FOLDER'…` takes PLACES of each folder of sources, prints JSON.
 * Half of them are at the first character of a line's content, half inside a line; licence headers, imports and
 * comment lines are left out. The packages take turns.
 */
import { readSourceFiles } from '../trainer/replay/files.ts';
import { documentAt, evaluationPositions } from '../trainer/replay/positions.ts';
import { sampleInOrder } from '../extension/common/random.ts';
import { keyedRandom } from '../trainer/replay/random.ts';

const SEED = 1;
const PREFIX_CHARS = 500;
const SUFFIX_LINES = 4;
const LONGEST_MIDDLE_CHARS = 120;
const COMMENT = /^\s*(\/\/|\/?\*|#|"""|''')/;

const [places, ...packages] = process.argv.slice(2);
const count = Number(places);
if (!Number.isSafeInteger(count) || count < 1 || packages.length === 0)
  throw new Error("Usage: node scripts/generalSample.ts PLACES 'NAME VERSION=FOLDER'…");

const byPackage: object[][] = [];
for (const argument of packages) {
  const [name, folder] = argument.split('=');
  if (!name || !folder) throw new Error(`"${argument}" is not NAME VERSION=FOLDER.`);
  const files = await readSourceFiles(folder);
  const drawn = files.flatMap((file) =>
    evaluationPositions(file, Math.ceil((2 * count) / files.length) + 1, SEED).flatMap((position) => {
      const line = file.text.split('\n')[position.line]!;
      const { text, caret, rest } = documentAt(file, position);
      if (COMMENT.test(line) || rest === '' || rest.length > LONGEST_MIDDLE_CHARS) return [];
      const before = text.slice(Math.max(0, caret - PREFIX_CHARS), caret);
      const prefix = caret <= PREFIX_CHARS ? before : before.slice(before.indexOf('\n') + 1);
      const suffix = text
        .slice(caret)
        .split('\n', SUFFIX_LINES + 1)
        .join('\n');
      return [{ package: name, language: file.language, path: file.path, prefix, suffix, middle: rest }];
    }),
  );
  if (drawn.length < count) throw new Error(`${folder} has ${drawn.length} places only.`);
  byPackage.push(sampleInOrder(drawn, count, keyedRandom(SEED, name)));
}
// In turn, so that every stretch of the sample has something of each.
const samples = Array.from({ length: count }, (_, i) => byPackage.map((places) => places[i]!)).flat();
console.log(JSON.stringify(samples, null, 1));

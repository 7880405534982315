/** What a keystroke takes of the extension host's thread in a long file, the editor's and the network's own work apart. */
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { completionResponseSchema } from '../../../extension/common/contracts/index.ts';
import type { Syntax } from '../../../extension/common/syntax/types.ts';
import { readSourceFiles } from '../../../trainer/replay/files.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import { syntaxFor } from '../../unit/syntax/parsers.ts';

const LINES = 20_000;
const SEED = 1;
const KEYS_PER_PLACE = 40;
/** Until the code is compiled. */
const WARM_UP_KEYS = 200;
/** Suggestions that go on as the developer does. */
const RIGHT_SHARE = 0.6;

export interface HostTimes {
  /**
   * Milliseconds of each keystroke: the least of all runs, which type the same. Other programs hold up a thread for
   * longer than its own work takes, and no clock of Node's tells the two apart for times as short as these.
   */
  milliseconds: number[];
  /** Processor time of the whole process a keystroke, on average, in milliseconds. */
  meanCpuMs: number;
  /** Keystrokes that were answered by a request, not from the cache. */
  requests: number;
}

/**
 * Types real code at places all over a file of 20,000 lines, with the extension's provider and capture, and times
 * everything that they do: change and selection events, text around the caret, cache, window, syntax, request and
 * answer as JSON, filters, outcome, and the question to the workspace's index.
 */
export async function measureHostThread(keys: number, runs: number): Promise<HostTimes> {
  const code = await sourceCode();
  const syntax = await syntaxFor('typescript');
  await typeKeys(WARM_UP_KEYS, code, syntax);
  const began = process.cpuUsage();
  const all = [await typeKeys(keys, code, syntax)];
  while (all.length < runs) all.push(await typeKeys(keys, code, syntax));
  const { user, system } = process.cpuUsage(began);
  return {
    milliseconds: all[0]!.times.map((_, key) => Math.min(...all.map(({ times }) => times[key]!))),
    meanCpuMs: (user + system) / 1000 / (runs * keys),
    requests: all[0]!.requests,
  };
}

async function typeKeys(
  keys: number,
  code: string,
  syntax: Syntax,
): Promise<{ times: number[]; requests: number }> {
  const random = keyedRandom(SEED, 'host thread');
  let next = '';
  const scripted = new ScriptedCompanion(() =>
    random.chance(RIGHT_SHARE) ? next.split('\n')[0]! : 'value.of();',
  );
  // What the real client does on this thread.
  const complete = async (...[body, signal]: Parameters<typeof scripted.complete>) => {
    const sent = JSON.parse(JSON.stringify(body)) as typeof body;
    const answer = await scripted.complete(sent, signal);
    return completionResponseSchema.parse(JSON.parse(JSON.stringify(answer)));
  };
  const client = { complete, shown: scripted.shown };
  const editor = new StandInEditor({ text: longFile(code), client, syntax, asksIndex: true });
  const times: number[] = [];
  for (let key = 0; key < keys; key++) {
    if (key % KEYS_PER_PLACE === 0) {
      const line = random.below(LINES);
      editor.moveTo(editor.document.offsetAt(editor.document.lineAt(line).range.end));
      const from = random.below(code.length - 2 * KEYS_PER_PLACE);
      next = `\n${code.slice(from, from + 2 * KEYS_PER_PLACE)}`;
    }
    const typed = next[0]!;
    next = next.slice(1);
    const began = performance.now();
    editor.type(typed);
    await editor.ask();
    times.push(performance.now() - began);
    await setImmediate();
  }
  editor.dispose();
  return { times, requests: scripted.asked.length };
}

async function sourceCode(): Promise<string> {
  const folder = fileURLToPath(new URL('../../../trainer/replay/fixture/code', import.meta.url));
  return (await readSourceFiles(folder)).map(({ text }) => text).join('\n');
}

function longFile(code: string): string {
  const copies = Math.ceil(LINES / code.split('\n').length);
  return `${code}\n`.repeat(copies).split('\n').slice(0, LINES).join('\n');
}

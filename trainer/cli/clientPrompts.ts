/** Small prompts for the test client, with what their author went on to write. */

export interface ClientPrompt {
  path: string;
  prefix: string;
  suffix: string;
  /** Rest of the caret's line. */
  wanted: string;
}

export const CLIENT_PROMPTS: readonly ClientPrompt[] = [
  {
    path: 'src/sum.ts',
    prefix:
      'export function sum(values: number[]): number {\n  let total = 0;\n  for (const value of values) ',
    suffix: '\n  return total;\n}\n',
    wanted: 'total += value;',
  },
  {
    path: 'src/clamp.ts',
    prefix: 'export function clamp(value: number, low: number, high: number): number {\n  return Math.min(',
    suffix: '\n}\n',
    wanted: 'high, Math.max(low, value));',
  },
  {
    path: 'src/names.ts',
    prefix:
      'interface Person {\n  name: string;\n}\n\nexport const names = (people: Person[]) => people.map((person) => ',
    suffix: '\n',
    wanted: 'person.name);',
  },
  {
    path: 'src/readJson.ts',
    prefix:
      "import { readFile } from 'node:fs/promises';\n\nexport async function readJson(path: string): Promise<unknown> {\n  return JSON.parse(",
    suffix: '\n}\n',
    wanted: "await readFile(path, 'utf8'));",
  },
  {
    path: 'src/isEmpty.ts',
    prefix: 'export function isEmpty(text: string): boolean {\n  return ',
    suffix: '\n}\n',
    wanted: 'text.length === 0;',
  },
  {
    path: 'tools/lines.py',
    prefix: 'def count_lines(path):\n    with open(path) as file:\n        return ',
    suffix: '\n',
    wanted: 'sum(1 for _ in file)',
  },
  {
    path: 'src/last.ts',
    prefix: 'export function last<T>(items: readonly T[]): T | undefined {\n  return items',
    suffix: '\n}\n',
    wanted: '.at(-1);',
  },
  {
    path: 'src/sleep.ts',
    prefix:
      'export function sleep(milliseconds: number): Promise<void> {\n  return new Promise((resolve) => ',
    suffix: '\n}\n',
    wanted: 'setTimeout(resolve, milliseconds));',
  },
];

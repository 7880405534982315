/** `npm run docs`: writes what is generated from the code into docs/. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { editorSchema, referenceTables } from './configReference.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const BEGIN = '<!-- Generated from trainer/config/schema.ts by `npm run docs`: -->';
const END = '<!-- End of what is generated. -->';

/** Content of the generated files, by path. */
export async function generatedDocs(): Promise<Map<string, string>> {
  const page = join(DOCS, 'configuration.md');
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${page} has lost the line "${BEGIN}" or "${END}".`);
  const schema = join(DOCS, 'hone.config.schema.json');
  return new Map([
    [page, await formatted(page, `${before}${BEGIN}\n\n${referenceTables()}\n${END}${after}`)],
    [schema, await formatted(schema, JSON.stringify(editorSchema()))],
  ]);
}

async function formatted(path: string, text: string): Promise<string> {
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

if (import.meta.main) for (const [path, text] of await generatedDocs()) writeFileSync(path, text);

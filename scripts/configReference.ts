/** What is made of the schema of configurations: the schema for editors, and the tables of docs/configuration.md. */
import { OWN_KEYS, jsonSchema, type SchemaNode } from '../trainer/config/names.ts';
import { ALIASES, UNUSED } from '../trainer/config/recipe.ts';

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

/** JSON schema (draft 7) of a configuration file, the recipe's names included. */
export function editorSchema(): SchemaNode {
  const schema = withoutNoise(jsonSchema()) as SchemaNode;
  for (const name of UNUSED)
    put(schema, name, { description: 'A key of RLinf that has no meaning for Hone.' });
  for (const { name } of ALIASES) put(schema, name, aliasNode(name));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of Hone',
    description: 'What --config of the hone commands reads; docs/configuration.md explains it.',
    ...schema,
    properties: {
      $schema: { type: 'string', description: 'This schema, for editors.' },
      ...schema.properties,
    },
  };
}

/** Markdown: every key by section, then the recipe's names. */
export function referenceTables(): string {
  const root = jsonSchema();
  const sections = [...sectionsOf(root, '')].map(([path, node]) => {
    const rows = Object.entries(node.properties!)
      .filter(([, child]) => child.properties === undefined)
      .map(([name, child]) => row(path === '' ? name : `${path}.${name}`, child));
    if (rows.length === 0) return '';
    const title = path === '' ? 'Top of the file' : `\`${path}\``;
    const text = path === '' ? 'What every run has.' : (node.description ?? '');
    return `## ${title}\n\n${text}\n\n| Key | Value | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `${sections.filter((text) => text !== '').join('\n')}\n${recipeTables()}`;
}

function recipeTables(): string {
  const names = [...new Set(ALIASES.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const { values = {} } = ALIASES.find((alias) => alias.name === name)!;
    const renamed = Object.entries(values).map(([theirs, ours]) => `; \`${theirs}\` is \`${ours}\``);
    return `| \`${name}\` | ${targets(name).map(code).join(', ')}${renamed.join('')} |`;
  });
  return `## RLinf’s names

| RLinf | Hone |
| --- | --- |
${rows.join('\n')}

These names of RLinf have no meaning here, nor has anything below them: ${[...UNUSED].sort().map(code).join(', ')}.
`;
}

function row(path: string, node: SchemaNode): string {
  const fallback = node.default === undefined ? '' : code(JSON.stringify(node.default));
  return `| ${code(path)} | ${escaped(valueOf(node))} | ${fallback} | ${escaped(node.description ?? '')} |`;
}

/** What may stand there: `number, above 0, at most 1`. */
function valueOf(node: SchemaNode): string {
  if (node.enum !== undefined) return (node.enum as unknown[]).map((one) => code(String(one))).join(', ');
  if (node.type === 'array') return `list of ${valueOf(node.items as SchemaNode)}`;
  const type = { integer: 'whole number', boolean: '`true`, `false`', string: 'text' }[String(node.type)];
  const bounds = [
    bound('above', node.exclusiveMinimum),
    bound('from', node.minimum),
    bound('below', node.exclusiveMaximum),
    bound('to', node.maximum),
  ];
  const range = bounds.filter((text) => text !== null).join(' ');
  return range === '' ? (type ?? String(node.type)) : `${type ?? String(node.type)}, ${range}`;
}

function bound(word: string, limit: unknown): string | null {
  return typeof limit !== 'number' || Math.abs(limit) >= MAX_SAFE ? null : `${word} ${limit}`;
}

function* sectionsOf(node: SchemaNode, path: string): Generator<[string, SchemaNode]> {
  yield [path, node];
  for (const [name, child] of Object.entries(node.properties ?? {}))
    if (child.properties !== undefined) yield* sectionsOf(child, path === '' ? name : `${path}.${name}`);
}

/** A value of the recipe may also be an expression, or nothing. */
function aliasNode(name: string): SchemaNode {
  const [first, ...more] = targets(name);
  const values = Object.keys(ALIASES.find((alias) => alias.name === name)?.values ?? {});
  const { description, default: _, ...rest } = withoutNoise(OWN_KEYS.get(first!)!) as SchemaNode;
  const also = more.length === 0 ? '' : ` Also ${more.join(', ')}.`;
  return {
    description: `RLinf’s name of ${first}: ${description}${also}`,
    anyOf: [
      rest,
      ...(values.length === 0 ? [] : [{ enum: values }]),
      { type: 'string', pattern: '\\$\\{' },
      { type: 'null' },
    ],
  };
}

function targets(name: string): string[] {
  return ALIASES.filter((alias) => alias.name === name).flatMap(({ keys }) => keys);
}

function put(schema: SchemaNode, path: string, node: SchemaNode): void {
  const names = path.split('.');
  const last = names.pop()!;
  let section = schema;
  for (const name of names) {
    section.properties ??= {};
    section = section.properties[name] ??= {
      type: 'object',
      description: `A section of RLinf’s files.`,
      additionalProperties: false,
    };
  }
  section.properties = { ...section.properties, [last]: node };
}

/** Without bounds that every whole number has, and without the defaults of sections. */
function withoutNoise(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNoise);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(
    ([key, value]) =>
      key !== '$schema' &&
      !(typeof value === 'number' && Math.abs(value) >= MAX_SAFE) &&
      !(key === 'default' && 'properties' in node),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNoise(value)]));
}

function code(text: string): string {
  return `\`${text}\``;
}

/** For a cell of a table. */
function escaped(text: string): string {
  return text.replaceAll(/[|*]/g, '\\$&');
}

/** References between keys, as Hydra writes them: `${runner.output_dir}/logs`. Other expressions are not evaluated. */
import { isMapping } from './file.ts';

const EXPRESSION = /\$\{.*\}/s;
const REFERENCE = /\$\{([A-Za-z_][\w.]*)\}/g;
const WHOLE_REFERENCE = /^\$\{([A-Za-z_][\w.]*)\}$/;
/** References that a value leads to, those of a list's items together; more is a circle. */
const MAX_STEPS = 64;

/** The value with its references followed, those in lists too, or null where it can't be evaluated. */
export function evaluated(value: unknown, tree: Record<string, unknown>): { value: unknown } | null {
  return followed(value, tree, { left: MAX_STEPS });
}

function followed(
  value: unknown,
  tree: Record<string, unknown>,
  steps: { left: number },
): { value: unknown } | null {
  if (Array.isArray(value)) return followedItems(value, tree, steps);
  if (typeof value !== 'string' || !EXPRESSION.test(value)) return { value };
  if (steps.left-- === 0) return null;
  const whole = WHOLE_REFERENCE.exec(value);
  if (whole !== null) {
    const found = lookedUp(tree, whole[1]!);
    return found === undefined ? null : followed(found, tree, steps);
  }
  const next = value.replace(REFERENCE, (text, path: string) => {
    const found = lookedUp(tree, path);
    return typeof found === 'string' || typeof found === 'number' ? String(found) : text;
  });
  return next === value ? null : followed(next, tree, steps);
}

function followedItems(
  items: readonly unknown[],
  tree: Record<string, unknown>,
  steps: { left: number },
): { value: unknown[] } | null {
  const values: unknown[] = [];
  for (const item of items) {
    const result = followed(item, tree, steps);
    if (result === null) return null;
    values.push(result.value);
  }
  return { value: values };
}

function lookedUp(tree: Record<string, unknown>, path: string): unknown {
  let node: unknown = tree;
  for (const name of path.split('.')) {
    if (!isMapping(node) || !Object.hasOwn(node, name)) return undefined;
    node = node[name];
  }
  return node;
}

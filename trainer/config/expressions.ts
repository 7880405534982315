/** References between keys, as Hydra writes them: `${runner.output_dir}/logs`. Other expressions are not evaluated. */
import { isMapping } from './file.ts';

const REFERENCE = /\$\{([A-Za-z_][\w.]*)\}/g;
const WHOLE_REFERENCE = /^\$\{([A-Za-z_][\w.]*)\}$/;
/** References that lead on to others; more is a circle. */
const MAX_STEPS = 16;

/** The value with its references followed, or null where it can't be evaluated. */
export function evaluated(value: unknown, tree: Record<string, unknown>): { value: unknown } | null {
  let current = value;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (typeof current !== 'string' || !current.includes('${')) return { value: current };
    const whole = WHOLE_REFERENCE.exec(current);
    if (whole !== null) {
      current = lookedUp(tree, whole[1]!);
      if (current === undefined) return null;
      continue;
    }
    const next = current.replace(REFERENCE, (text, path: string) => {
      const found = lookedUp(tree, path);
      return typeof found === 'string' || typeof found === 'number' ? String(found) : text;
    });
    if (next === current) return null;
    current = next;
  }
  return null;
}

function lookedUp(tree: Record<string, unknown>, path: string): unknown {
  let node: unknown = tree;
  for (const name of path.split('.')) {
    if (!isMapping(node) || !Object.hasOwn(node, name)) return undefined;
    node = node[name];
  }
  return node;
}

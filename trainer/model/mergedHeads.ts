/** Heads that ask for the same are computed as one: the output matrix, most of a head's work, is then read once. */
import type { HeadRequest, HeadResult } from './network.ts';

/** A head of more rows takes too long between two looks at whether to pause. */
const MOST_ROWS = 256;

interface MergedHeads {
  heads: HeadRequest[];
  /** Results of the heads that were asked for, in their order. */
  split: (results: HeadResult[]) => HeadResult[];
  /** Coefficients by temperature, of the heads that were asked for, as those of the merged ones. */
  join: (coefficients: Map<number, Float32Array>[]) => Map<number, Float32Array>[];
}

/** Merges heads of equal temperatures, in their order, up to so many rows. */
export function mergeHeads(requests: readonly HeadRequest[]): MergedHeads {
  const heads: HeadRequest[] = [];
  const open = new Map<string, number>();
  const places = requests.map((request) => {
    const key = request.temperatures.join();
    let head = open.get(key);
    if (head === undefined || heads[head]!.rows.length + request.rows.length > MOST_ROWS) {
      head = heads.push({ rows: [], targets: [], temperatures: request.temperatures }) - 1;
      open.set(key, head);
    }
    const from = heads[head]!.rows.length;
    heads[head]!.rows.push(...request.rows);
    heads[head]!.targets.push(...request.targets);
    return { head, from, to: from + request.rows.length };
  });
  return {
    heads,
    split: (results) =>
      places.map(({ head, from, to }) => part(results[head]!, heads[head]!.rows.length, from, to)),
    join: (coefficients) => {
      const joined = heads.map(() => new Map<number, Float32Array>());
      for (const [i, { head, from }] of places.entries())
        for (const [temperature, values] of coefficients[i]!) {
          const all = joined[head]!.get(temperature) ?? new Float32Array(heads[head]!.rows.length);
          all.set(values, from);
          joined[head]!.set(temperature, all);
        }
      return joined;
    },
  };
}

function part(
  { logprobs, argmax, hidden, kl }: HeadResult,
  rows: number,
  from: number,
  to: number,
): HeadResult {
  const width = hidden.length / rows;
  return {
    logprobs: new Map([...logprobs].map(([temperature, values]) => [temperature, values.subarray(from, to)])),
    argmax: argmax.subarray(from, to),
    hidden: hidden.subarray(from * width, to * width),
    kl: kl.subarray(from, to),
  };
}

/** A prompt and what may follow it, laid out as one sequence: the prompt is evaluated once for all branches. */
export interface TokenTree {
  /** Token ids, [T]: the prompt, the branches one after the other, padding. */
  ids: Int32Array;
  /** Position of each token: a branch goes on where the prompt ended. [T] */
  positions: Int32Array;
  /** First index of each branch. */
  starts: number[];
  promptLength: number;
  /** Index of the branch that a token belongs to; −1 for the prompt, −2 for padding. [T] */
  branchOf: Int32Array;
}

/** Lengths are padded to a multiple of this: ggml's fast products want whole tiles (4 × faster attention). */
const LENGTH_MULTIPLE = 32;
const PROMPT = -1;
const PADDING = -2;

/** Rows whose hidden state predicts the targets. */
export interface TargetRows {
  rows: number[];
  targets: number[];
}

/**
 * Lays out a prompt and branches. The last token of a branch is only predicted, never an input.
 *
 * @throws RangeError for an empty prompt or branch.
 */
export function tokenTree(prompt: number[], branches: number[][]): TokenTree {
  if (prompt.length === 0 || branches.some((branch) => branch.length === 0))
    throw new RangeError('A prompt and its branches have at least one token each.');
  const inputs = branches.map((branch) => branch.slice(0, -1));
  const used = inputs.reduce((sum, branch) => sum + branch.length, prompt.length);
  const length = Math.ceil(used / LENGTH_MULTIPLE) * LENGTH_MULTIPLE;
  const ids = new Int32Array(length);
  const positions = new Int32Array(length);
  const branchOf = new Int32Array(length).fill(PADDING);
  ids.set(prompt);
  positions.set([...prompt.keys()]);
  branchOf.fill(PROMPT, 0, prompt.length);
  const starts: number[] = [];
  let next = prompt.length;
  for (const [index, branch] of inputs.entries()) {
    starts.push(next);
    ids.set(branch, next);
    positions.set(
      branch.map((_, i) => prompt.length + i),
      next,
    );
    branchOf.fill(index, next, next + branch.length);
    next += branch.length;
  }
  return { ids, positions, starts, promptLength: prompt.length, branchOf };
}

/** Rows and targets of one branch: the prompt's last token predicts the first. */
export function branchTargets(tree: TokenTree, branch: number, tokens: number[]): TargetRows {
  const start = tree.starts[branch]!;
  return { rows: tokens.map((_, i) => (i === 0 ? tree.promptLength - 1 : start + i - 1)), targets: tokens };
}

/** Rows and targets of the prompt's own tokens in spans [from, to). */
export function promptTargets(tree: TokenTree, spans: readonly (readonly [number, number])[]): TargetRows {
  const targets: number[] = [];
  const rows: number[] = [];
  for (const [from, to] of spans) {
    for (let t = from; t < Math.min(to, tree.promptLength); t++) {
      rows.push(t - 1);
      targets.push(tree.ids[t]!);
    }
  }
  return { rows, targets };
}

/**
 * Attention mask [T, group·T]: row t·group + j, for query t of group member j, is 0 where t attends and −∞
 * elsewhere. A token attends to the prompt and to its own branch, up to itself; padding is attended by no token.
 */
export function treeMask(tree: TokenTree, group: number): Float32Array {
  const length = tree.ids.length;
  const mask = new Float32Array(length * group * length).fill(-Infinity);
  for (let t = 0; t < length; t++) {
    for (let j = 0; j < group; j++) {
      const row = (t * group + j) * length;
      for (let s = 0; s <= t; s++) {
        const branch = tree.branchOf[s]!;
        // Padding attends to the prompt, so that its row has a soft-max.
        if (branch === PROMPT || branch === tree.branchOf[t]) mask[row + s] = 0;
      }
    }
  }
  return mask;
}

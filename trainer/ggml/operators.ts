import type { RopeOptions } from './graph.ts';
import type { Tape, Variable } from './tape.ts';
import type { Tensor } from './tensor.ts';

/** A frozen matrix. `transposed` is needed where a gradient passes through. */
export interface FrozenMatrix {
  /** [in, out] */
  forward: Tensor;
  /** [out, in] */
  transposed: Tensor | null;
}

/** x: [n, T], b: [n] or [n, T] → x + b */
export function add(tape: Tape, a: Variable, b: Variable): Variable {
  return tape.record(tape.graph.add(a.value, b.value), [a, b], (gradient) => {
    tape.accumulate(a, () => gradient);
    tape.accumulate(b, () => gradient);
  });
}

/** x: [in, T] → W x: [out, T] */
export function frozenLinear(tape: Tape, x: Variable, matrix: FrozenMatrix): Variable {
  const { graph } = tape;
  return tape.record(graph.mulMat(matrix.forward, x.value), [x], (gradient) => {
    tape.accumulate(x, () => {
      if (!matrix.transposed)
        throw new Error('A gradient passes through a matrix kept without its transpose.');
      return graph.mulMat(matrix.transposed, gradient);
    });
  });
}

/**
 * x: [in, T], A: [in, r], B: [r, out] → scale · B A x: [out, T]. LoRA of Hu et al. 2021 (arXiv 2106.09685),
 * with scale = α / r.
 */
export function lowRank(tape: Tape, x: Variable, a: Variable, b: Variable, scale: number): Variable {
  const { graph } = tape;
  const inner = graph.mulMat(a.value, x.value); // [r, T]
  const bTransposed = tape.transposed(b.value); // [out, r]
  const value = graph.scale(graph.outerProduct(bTransposed, graph.transpose(inner)), scale);
  return tape.record(value, [x, a, b], (gradient) => {
    const scaled = graph.scale(gradient, scale); // [out, T]
    tape.accumulate(b, () => graph.transpose(graph.outerProduct(scaled, inner)));
    const innerGradient = graph.mulMat(bTransposed, scaled); // [r, T]
    tape.accumulate(a, () => graph.outerProduct(x.value, innerGradient));
    tape.accumulate(x, () => graph.outerProduct(a.value, graph.transpose(innerGradient)));
  });
}

/** x: [n, T], weight: [n] (frozen) → weight · x / √(mean(x²) + ε) */
export function rmsNorm(tape: Tape, x: Variable, weight: Tensor, epsilon: number): Variable {
  const { graph } = tape;
  const normal = graph.rmsNorm(x.value, epsilon);
  return tape.record(graph.mul(normal, weight), [x], (gradient) => {
    tape.accumulate(x, () => {
      // d/dx = (w·g − normal · mean(w·g · normal)) / √(mean(x²) + ε)
      const n = x.value.shape[0];
      const weighted = graph.mul(gradient, weight);
      const projection = graph.scale(graph.sumRows(graph.mul(weighted, normal)), 1 / n);
      const root = graph.sqrt(graph.scale(graph.sumRows(graph.sqr(x.value)), 1 / n, epsilon));
      return graph.div(graph.sub(weighted, graph.mul(normal, projection)), root);
    });
  });
}

/**
 * Rotary positions on x: [headSize, heads, T]. The gradient is rotated back, by the negated positions:
 * a rotation's transpose is its inverse.
 */
export function rope(
  tape: Tape,
  x: Variable,
  positions: { forward: Tensor; negated: Tensor },
  options: RopeOptions,
): Variable {
  const { graph } = tape;
  return tape.record(graph.rope(x.value, positions.forward, options), [x], (gradient) => {
    tape.accumulate(x, () => graph.rope(gradient, positions.negated, options));
  });
}

/** gate, up: [n, T] → silu(gate) · up */
export function gatedSilu(tape: Tape, gate: Variable, up: Variable): Variable {
  const { graph } = tape;
  const activated = graph.silu(gate.value);
  return tape.record(graph.mul(activated, up.value), [gate, up], (gradient) => {
    tape.accumulate(up, () => graph.mul(gradient, activated));
    tape.accumulate(gate, () => {
      // silu' = σ + silu · (1 − σ)
      const sigma = graph.sigmoid(gate.value);
      const slope = graph.sub(graph.add(sigma, activated), graph.mul(activated, sigma));
      return graph.mul(graph.mul(gradient, up.value), slope);
    });
  });
}

/** x: [a, b, c, …] reshaped; the memory is the same. */
export function reshape(tape: Tape, x: Variable, ...sizes: number[]): Variable {
  const { graph } = tape;
  return tape.record(graph.reshape(x.value, ...sizes), [x], (gradient) => {
    tape.accumulate(x, () => graph.reshape(gradient, ...x.value.shape));
  });
}

/** Dimension i of x becomes dimension axes[i]. */
export function permute(tape: Tape, x: Variable, axes: readonly [number, number, number, number]): Variable {
  const { graph } = tape;
  const inverse = [0, 1, 2, 3].map((i) => axes.indexOf(i)) as [number, number, number, number];
  return tape.record(graph.permute(x.value, axes), [x], (gradient) => {
    tape.accumulate(x, () => graph.permute(gradient, inverse));
  });
}

/**
 * Grouped-query attention with the group folded into the query axis, so that keys and values are never
 * repeated: q: [headSize, group·T, kvHeads], k and v: [headSize, S, kvHeads], mask: [S, group·T] →
 * [headSize, group·T, kvHeads].
 */
export function attention(
  tape: Tape,
  q: Variable,
  k: Variable,
  v: Variable,
  mask: Tensor,
  scale: number,
): Variable {
  const { graph } = tape;
  const scores = graph.mulMat(k.value, q.value); // [S, group·T, kvHeads]
  const weights = graph.softMax(scores, scale, mask);
  const value = graph.mulMat(graph.transpose(v.value), weights); // [headSize, group·T, kvHeads]
  return tape.record(value, [q, k, v], (gradient) => {
    tape.accumulate(v, () => graph.mulMat(graph.transpose(gradient), graph.transpose(weights)));
    const weightGradient = graph.mulMat(v.value, gradient); // [S, group·T, kvHeads]
    const centre = graph.sumRows(graph.mul(weights, weightGradient));
    const scoreGradient = graph.scale(graph.mul(weights, graph.sub(weightGradient, centre)), scale);
    tape.accumulate(q, () => graph.mulMat(graph.transpose(k.value), scoreGradient));
    tape.accumulate(k, () => graph.mulMat(graph.transpose(q.value), graph.transpose(scoreGradient)));
  });
}

/**
 * Columns of x: [n, T] by ids [R] → [n, R]. `scatter`: [R, T] has a one at (r, ids[r]), its transpose's
 * product returns each gradient to its column.
 */
export function selectColumns(tape: Tape, x: Variable, ids: Tensor, scatter: Tensor): Variable {
  const { graph } = tape;
  return tape.record(graph.getRows(x.value, ids), [x], (gradient) => {
    tape.accumulate(x, () => graph.mulMat(graph.transpose(gradient), scatter));
  });
}

/** Tensors of a token head, for the host to read and write between the stages. */
export interface TokenHead {
  /** [vocabulary, R] */
  logits: Tensor;
  /** Probability of each target under soft-max(logits / temperature), by temperature: [1, R]. */
  probabilities: Map<number, Tensor>;
  /**
   * Appends the gradient of Σ_r c_r · log p(target_r | temperature) to the hidden states' gradient;
   * coefficients: [1, R], written by the host once it has seen the probabilities.
   */
  backward(coefficients: Map<number, Tensor>): void;
}

/**
 * Output head and log-soft-max at chosen targets. hidden: [n, R], head: E [n, V], targets: I32 [R],
 * flatTargets: I32 [R] with r·V + target_r. With z = E h and p = soft-max(z / τ):
 * d log p_t / dh = (E_t − Σ_v p_v E_v) / τ, so the [V, R] gradient of the logits is never formed.
 */
export function tokenHead(
  tape: Tape,
  hidden: Variable,
  head: FrozenMatrix,
  targets: { ids: Tensor; flat: Tensor },
  temperatures: number[],
): TokenHead {
  const { graph } = tape;
  const logits = graph.mulMat(head.forward, hidden.value);
  const [vocabulary, rows] = logits.shape;
  const softMax = new Map(temperatures.map((t) => [t, graph.softMax(logits, 1 / t, null)]));
  const probabilities = new Map(
    [...softMax].map(([t, p]) => [t, graph.getRows(graph.reshape(p, 1, vocabulary * rows), targets.flat)]),
  );
  return {
    logits,
    probabilities,
    backward(coefficients) {
      const target = graph.getRows(head.forward, targets.ids); // [n, R]
      for (const [t, coefficient] of coefficients) {
        tape.accumulate(hidden, () => {
          if (!head.transposed)
            throw new Error('A gradient passes through a head kept without its transpose.');
          const expected = graph.mulMat(head.transposed, softMax.get(t)!); // [n, R]
          return graph.mul(graph.sub(target, expected), graph.scale(coefficient, 1 / t));
        });
      }
    },
  };
}

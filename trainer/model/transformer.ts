import type { RopeOptions } from '../ggml/graph.ts';
import {
  add,
  attention,
  frozenLinear,
  gatedSilu,
  lowRank,
  permute,
  reshape,
  rmsNorm,
  rope,
} from '../ggml/operators.ts';
import type { Tape, Variable } from '../ggml/tape.ts';
import type { Tensor } from '../ggml/tensor.ts';
import { LINEAR_TENSORS, type Architecture, type LinearName } from './architecture.ts';
import type { DeviceLora } from './lora.ts';
import type { LayerWeights, Weights } from './weights.ts';

/** Inputs that every block shares. */
export interface SequenceInputs {
  /** I32 [T], and negated for the way back. */
  positions: { forward: Tensor; negated: Tensor };
  /** [T, group·T] */
  mask: Tensor;
}

/** LoRA matrices as variables of one tape, so that a gradient is formed once for each. */
export interface LoraVariables {
  scale: number;
  matrices: Map<string, Variable>;
}

/** The matrices of an adapter on a tape; their gradients are wanted when the adapter is trainable. */
export function loraVariables(tape: Tape, lora: DeviceLora): LoraVariables {
  const matrices = new Map<string, Variable>();
  for (const { name } of lora.layout.segments) {
    const value = lora.valueOf(name)!;
    matrices.set(name, lora.trainable ? tape.parameter(value) : tape.constant(value));
  }
  return { scale: lora.scale, matrices };
}

/** Blocks [from, to) of a decoder-only transformer over hidden: [width, T]. */
export function transformerBlocks(
  tape: Tape,
  hidden: Variable,
  range: { from: number; to: number },
  context: {
    architecture: Architecture;
    weights: Weights;
    inputs: SequenceInputs;
    lora: LoraVariables | null;
  },
): Variable {
  const ropeOptions: RopeOptions = {
    ...context.architecture.rope,
    originalContext: context.architecture.contextTokens,
    factors: context.weights.ropeFactors,
  };
  let state = hidden;
  for (let layer = range.from; layer < range.to; layer++) {
    const weights = context.weights.layers[layer]!;
    const linear = (name: LinearName, x: Variable): Variable =>
      linearWithLora(tape, x, { weights, name, layer, lora: context.lora });
    state = block(tape, state, { ...context, layerWeights: weights, ropeOptions, linear });
  }
  return state;
}

function block(
  tape: Tape,
  hidden: Variable,
  context: {
    architecture: Architecture;
    inputs: SequenceInputs;
    layerWeights: LayerWeights;
    ropeOptions: RopeOptions;
    linear: (name: LinearName, x: Variable) => Variable;
  },
): Variable {
  const { architecture, inputs, layerWeights, ropeOptions, linear } = context;
  const { heads, kvHeads, headSize, epsilon } = architecture;
  const tokens = hidden.value.shape[1];
  const group = heads / kvHeads;

  const x = rmsNorm(tape, hidden, layerWeights.attentionNorm, epsilon);
  const rotate = (name: 'q' | 'k', count: number): Variable =>
    rope(tape, reshape(tape, linear(name, x), headSize, count, tokens), inputs.positions, ropeOptions);
  // [headSize, group, kvHeads, T] → [headSize, group·T, kvHeads]
  const grouped = reshape(tape, rotate('q', heads), headSize, group, kvHeads, tokens);
  const q = reshape(tape, permute(tape, grouped, [0, 1, 3, 2]), headSize, group * tokens, kvHeads);
  const k = permute(tape, rotate('k', kvHeads), [0, 2, 1, 3]); // [headSize, T, kvHeads]
  const v = permute(tape, reshape(tape, linear('v', x), headSize, kvHeads, tokens), [0, 2, 1, 3]);
  const mixed = attention(tape, q, k, v, inputs.mask, 1 / Math.sqrt(headSize));
  const ungrouped = permute(tape, reshape(tape, mixed, headSize, group, tokens, kvHeads), [0, 1, 3, 2]);
  const attended = linear('o', reshape(tape, ungrouped, headSize * heads, tokens));

  const middle = add(tape, hidden, attended);
  const y = rmsNorm(tape, middle, layerWeights.feedForwardNorm, epsilon);
  return add(tape, middle, linear('down', gatedSilu(tape, linear('gate', y), linear('up', y))));
}

function linearWithLora(
  tape: Tape,
  x: Variable,
  place: { weights: LayerWeights; name: LinearName; layer: number; lora: LoraVariables | null },
): Variable {
  const matrix = place.weights.linears[place.name];
  let y = frozenLinear(tape, x, matrix);
  if (matrix.bias) y = add(tape, y, tape.constant(matrix.bias));
  const stem = `blk.${place.layer}.${LINEAR_TENSORS[place.name]}.weight`;
  const a = place.lora?.matrices.get(`${stem}.lora_a`);
  const b = place.lora?.matrices.get(`${stem}.lora_b`);
  return a && b ? add(tape, y, lowRank(tape, x, a, b, place.lora!.scale)) : y;
}

import type { Device } from '../ggml/device.ts';
import { Graph } from '../ggml/graph.ts';
import { readGguf } from '../ggml/gguf.ts';
import { rmsNorm, selectColumns, tokenHead, type TokenHead } from '../ggml/operators.ts';
import { Tape, type Variable } from '../ggml/tape.ts';
import { TensorType, type Tensor } from '../ggml/tensor.ts';
import { readArchitecture, type Architecture } from './architecture.ts';
import type { DeviceLora } from './lora.ts';
import { mergeHeads } from './mergedHeads.ts';
import { treeMask, type TargetRows, type TokenTree } from './sequence.ts';
import { loraVariables, transformerBlocks, type LoraVariables, type SequenceInputs } from './transformer.ts';
import { loadWeights, type WeightOptions, type Weights } from './weights.ts';

/** Upper bound of nodes that a block, its LoRA and their backward append. */
const NODES_PER_BLOCK = 320;
/** The same of a head, and of everything else. */
const NODES_PER_HEAD = 64;
const NODES_OUTSIDE = 256;

/** Rows to score, in one head: their targets, and the temperatures at which probabilities are wanted. */
export interface HeadRequest extends TargetRows {
  temperatures: number[];
}

/** What a head found for its rows, in their order. */
export interface HeadResult {
  /** log p(target) by temperature, nats. A probability below the smallest float counts as that float. */
  logprobs: Map<number, Float32Array>;
  /** Most likely id a row; empty unless asked for. */
  argmax: Int32Array;
  /** Normalised hidden states [R × width], row by row; empty unless asked for. */
  hidden: Float32Array;
  /** Exact KL(this ‖ reference) a row at temperature 1; empty unless reference states were given. */
  kl: Float32Array;
}

interface ForwardOptions {
  lora: DeviceLora | null;
  heads: HeadRequest[];
  wantArgmax?: boolean;
  wantHidden?: boolean;
  /** Normalised hidden states of the reference, one array a head, for the exact KL. */
  reference?: Float32Array[];
}

const SMALLEST_PROBABILITY = 1e-37;

/** A model on a device: its constant lower layers, and its upper layers with LoRA, forwards and backwards. */
export class Network {
  readonly device: Device;
  readonly architecture: Architecture;
  readonly firstLayer: number;
  readonly #weights: Weights;
  readonly #allocator: bigint;
  readonly #between: () => Promise<void>;

  /**
   * Loads the model file at `path`.
   *
   * @param between Awaited between slices of work of at most about 50 ms.
   * @throws GgmlError as `readGguf`, `readArchitecture` and `loadWeights` do.
   */
  constructor(
    device: Device,
    path: string,
    options: WeightOptions,
    between: () => Promise<void> = async () => {},
  ) {
    const file = readGguf(device.ggml, path);
    this.device = device;
    this.architecture = readArchitecture(file);
    this.firstLayer = options.firstLayer;
    this.#weights = loadWeights(device, file, this.architecture, options);
    this.#allocator = device.newAllocator();
    this.#between = between;
  }

  /** Output of the layers below the first LoRA, a constant of the tokens: [T × width]. */
  async lower(tree: TokenTree): Promise<Float32Array> {
    const graph = this.#newGraph(this.firstLayer, 0);
    try {
      const { inputs, fill } = this.#sequenceInputs(graph, tree);
      const ids = graph.input(TensorType.I32, tree.ids.length);
      const tape = new Tape(graph);
      const embedded = tape.constant(graph.getRows(this.#weights.embedding, ids));
      const top = transformerBlocks(
        tape,
        embedded,
        { from: 0, to: this.firstLayer },
        { architecture: this.architecture, weights: this.#weights, inputs, lora: null },
      );
      graph.endStage(graph.output(top.value));
      graph.allocate(this.#allocator);
      fill();
      this.device.upload(ids, tree.ids);
      await graph.runStage(0, this.#between);
      return this.device.downloadFloats(top.value);
    } finally {
      graph.dispose();
    }
  }

  /** Scores rows; nothing is differentiated. */
  async score(tree: TokenTree, lower: Float32Array, options: ForwardOptions): Promise<HeadResult[]> {
    // References are given head by head.
    const merged = options.reference ? null : mergeHeads(options.heads);
    const pass = this.#build(tree, lower, { ...options, heads: merged?.heads ?? options.heads }, false);
    try {
      const results = await pass.forward();
      return merged ? merged.split(results) : results;
    } finally {
      pass.dispose();
    }
  }

  /**
   * One forward and backward pass. `coefficientsOf` sees the log-probabilities and returns, for each head and
   * temperature, d objective / d log p(target) of each row; the gradient of the objective is added to the
   * adapter's gradients. The split lets losses that need the values on the host, such as a clipped ratio, be
   * exact without operators that have no gradient.
   */
  async train(
    tree: TokenTree,
    lower: Float32Array,
    options: { lora: DeviceLora; heads: HeadRequest[] },
    coefficientsOf: (results: HeadResult[]) => Map<number, Float32Array>[],
  ): Promise<void> {
    const { heads, split, join } = mergeHeads(options.heads);
    const pass = this.#build(tree, lower, { ...options, heads }, true);
    try {
      await pass.backward(join(coefficientsOf(split(await pass.forward()))));
    } finally {
      pass.dispose();
    }
  }

  /** Frees the weights and the graphs' memory; the device stays. */
  dispose(): void {
    this.device.ggml.ggml_gallocr_free(this.#allocator);
    this.#weights.dispose();
  }

  #newGraph(blocks: number, heads: number): Graph {
    return new Graph(this.device, NODES_OUTSIDE + NODES_PER_BLOCK * blocks + NODES_PER_HEAD * heads);
  }

  #sequenceInputs(graph: Graph, tree: TokenTree): { inputs: SequenceInputs; fill: () => void } {
    const tokens = tree.ids.length;
    const group = this.architecture.heads / this.architecture.kvHeads;
    const forward = graph.input(TensorType.I32, tokens);
    const negated = graph.input(TensorType.I32, tokens);
    const mask = graph.input(TensorType.F32, tokens, group * tokens);
    const fill = (): void => {
      this.device.uploadIfUsed(forward, tree.positions);
      this.device.uploadIfUsed(mask, treeMask(tree, group));
      this.device.uploadIfUsed(
        negated,
        tree.positions.map((position) => -position),
      );
    };
    return { inputs: { positions: { forward, negated }, mask }, fill };
  }

  #build(tree: TokenTree, lower: Float32Array, options: ForwardOptions, differentiate: boolean): Pass {
    const { layers, width } = this.architecture;
    const tokens = tree.ids.length;
    const graph = this.#newGraph(layers - this.firstLayer, options.heads.length);
    const tape = new Tape(graph);
    const { inputs, fill } = this.#sequenceInputs(graph, tree);
    const input = graph.input(TensorType.F32, width, tokens);
    const lora = options.lora ? loraVariables(tape, options.lora) : null;
    const top = transformerBlocks(
      tape,
      tape.constant(input),
      { from: this.firstLayer, to: layers },
      { architecture: this.architecture, weights: this.#weights, inputs, lora },
    );
    const heads = options.heads.map((request, index) =>
      this.#head(tape, top, request, options, options.reference?.[index]),
    );
    graph.endStage(...heads.flatMap((head) => head.outputs));
    if (differentiate) this.#appendBackward(tape, heads, options.lora!, lora!);
    graph.allocate(this.#allocator);

    const { device } = this;
    const upload = (): void => {
      fill();
      device.upload(input, lower);
      for (const head of heads) head.fill();
    };
    return {
      forward: async () => {
        upload();
        await graph.runStage(0, this.#between);
        return heads.map((head) => head.read());
      },
      backward: async (coefficients) => {
        heads.forEach((head, i) => head.fillCoefficients(coefficients[i]!));
        await graph.runStage(1, this.#between);
      },
      dispose: () => graph.dispose(),
    };
  }

  #head(
    tape: Tape,
    top: Variable,
    request: HeadRequest,
    options: ForwardOptions,
    reference: Float32Array | undefined,
  ): PassHead {
    const { graph } = tape;
    const { device } = this;
    const { width, vocabulary, epsilon } = this.architecture;
    const tokens = top.value.shape[1];
    const rows = request.rows.length;
    const ids = graph.input(TensorType.I32, rows);
    const scatter = top.needsGradient ? graph.input(TensorType.F32, rows, tokens) : null;
    const targets = { ids: graph.input(TensorType.I32, rows), flat: graph.input(TensorType.I32, rows) };
    const selected = selectColumns(tape, top, ids, scatter ?? ids);
    const hidden = rmsNorm(tape, selected, this.#weights.outputNorm, epsilon);
    const head = tokenHead(tape, hidden, this.#weights.head, targets, request.temperatures);
    const argmax = options.wantArgmax ? graph.argmax(head.logits) : null;
    const referenceInput = reference ? graph.input(TensorType.F32, width, rows) : null;
    const kl = referenceInput ? this.#exactKl(graph, head.logits, referenceInput) : null;
    const outputs = [...head.probabilities.values(), ...(options.wantHidden ? [hidden.value] : [])];
    if (argmax) outputs.push(argmax);
    if (kl) outputs.push(kl);
    for (const output of outputs) graph.output(output);
    const coefficients = new Map<number, Tensor>();
    return {
      outputs,
      head,
      coefficients,
      rows,
      fill() {
        device.upload(ids, Int32Array.from(request.rows));
        device.uploadIfUsed(targets.ids, Int32Array.from(request.targets));
        device.upload(
          targets.flat,
          Int32Array.from(request.targets, (id, row) => row * vocabulary + id),
        );
        if (scatter) device.uploadIfUsed(scatter, scatterMatrix(request.rows, tokens));
        if (referenceInput) device.upload(referenceInput, reference!);
      },
      fillCoefficients(values) {
        for (const [temperature, tensor] of coefficients)
          device.upload(tensor, values.get(temperature) ?? new Float32Array(rows));
      },
      read: () => ({
        logprobs: new Map(
          [...head.probabilities].map(([t, p]) => [t, device.downloadFloats(p).map(logOfProbability)]),
        ),
        argmax: argmax ? device.downloadInts(argmax) : new Int32Array(),
        hidden: options.wantHidden ? device.downloadFloats(hidden.value) : new Float32Array(),
        kl: kl ? device.downloadFloats(kl) : new Float32Array(),
      }),
    };
  }

  /** Σ_v p_v (log p_v − log q_v) a row, with both soft-maxes at temperature 1: [1, R]. */
  #exactKl(graph: Graph, logits: Tensor, reference: Tensor): Tensor {
    const log = (p: Tensor): Tensor => graph.log(graph.scale(p, 1, SMALLEST_PROBABILITY));
    const p = graph.softMax(logits, 1, null);
    const q = graph.softMax(graph.mulMat(this.#weights.head.forward, reference), 1, null);
    return graph.sumRows(graph.mul(p, graph.sub(log(p), log(q))));
  }

  #appendBackward(tape: Tape, heads: PassHead[], lora: DeviceLora, variables: LoraVariables): void {
    const { graph } = tape;
    for (const { head, coefficients, rows } of heads) {
      for (const temperature of head.probabilities.keys())
        coefficients.set(temperature, graph.input(TensorType.F32, 1, rows));
      head.backward(coefficients);
    }
    tape.backward();
    const updates = [...variables.matrices].flatMap(([name, variable]) => {
      const gradient = tape.gradientOf(variable);
      const sum = lora.gradientOf(name);
      return gradient ? [graph.copyInto(graph.add(sum, gradient), sum)] : [];
    });
    graph.endStage(...updates);
  }
}

interface PassHead {
  outputs: Tensor[];
  head: TokenHead;
  coefficients: Map<number, Tensor>;
  rows: number;
  fill(): void;
  fillCoefficients(values: Map<number, Float32Array>): void;
  read(): HeadResult;
}

interface Pass {
  forward(): Promise<HeadResult[]>;
  backward(coefficients: Map<number, Float32Array>[]): Promise<void>;
  dispose(): void;
}

function logOfProbability(p: number): number {
  return Math.log(Math.max(p, SMALLEST_PROBABILITY));
}

/** [R, T] with a one at (r, rows[r]). */
function scatterMatrix(rows: number[], tokens: number): Float32Array {
  const matrix = new Float32Array(rows.length * tokens);
  rows.forEach((row, r) => (matrix[row * rows.length + r] = 1));
  return matrix;
}

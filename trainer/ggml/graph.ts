import type { Device } from './device.ts';
import { GgmlError } from './errors.ts';
import type { Pointer } from './functions.ts';
import { elementsOf, repeatable, sameShape, shapeOf, TensorType, type Shape, type Tensor } from './tensor.ts';

/** Ask a product for F32 accumulation (GGML_PREC_F32). */
const PRECISION_F32 = 10;
/** Work after which a graph is cut, so that a pause is noticed within about 50 ms: multiply-adds on two cores. */
const SLICE_MULTIPLY_ADDS = 1e9;

export interface RopeOptions {
  /** Dimensions of a head that are rotated. */
  dimensions: number;
  /** 0: neighbouring pairs (llama), 2: halves (NEOX, qwen2). */
  mode: 0 | 2;
  base: number;
  /** Position scale: 1 / factor of linear scaling. */
  scale: number;
  originalContext: number;
  /** Per-dimension frequency factors, or null. */
  factors: Tensor | null;
}

/**
 * Builds one static computation. Every method checks shapes here, because an assertion in ggml ends the
 * process, and asks the device whether it has the operator. Shapes are ggml's: fastest dimension first.
 */
export class Graph {
  readonly device: Device;
  readonly #context: Pointer;
  readonly #graph: Pointer;
  readonly #scratch: Pointer[] = [];
  readonly #cost = new Map<Pointer, number>();
  #stages: number[] = [];

  constructor(device: Device, maxNodes: number) {
    this.device = device;
    this.#context = device.newContext(maxNodes + 64, maxNodes);
    this.#graph = device.ggml.ggml_new_graph_custom(this.#context, maxNodes, false);
  }

  /** A tensor that the host fills before the computation. */
  input(type: number, ...sizes: number[]): Tensor {
    const shape = shapeOf(...sizes);
    const pointer = this.device.ggml.ggml_new_tensor_4d(this.#context, type, ...shape);
    this.device.ggml.ggml_set_input(pointer);
    return { pointer, type, shape };
  }

  /** Keeps a tensor's memory, so that the host can read it afterwards. */
  output(tensor: Tensor): Tensor {
    this.device.ggml.ggml_set_output(tensor.pointer);
    return tensor;
  }

  /** a: [k, n, …], b: [k, m, …] → [n, m, …]; a is repeated over the higher dimensions of b. */
  mulMat(a: Tensor, b: Tensor): Tensor {
    const fits = a.shape[0] === b.shape[0] && b.shape[2] % a.shape[2] === 0 && b.shape[3] % a.shape[3] === 0;
    this.#check(fits && b.type === TensorType.F32, 'mulMat', a, b);
    const shape: Shape = [a.shape[1], b.shape[1], b.shape[2], b.shape[3]];
    const product = this.#node(
      'mulMat',
      this.device.ggml.ggml_mul_mat(this.#context, a.pointer, b.pointer),
      shape,
    );
    this.device.ggml.ggml_mul_mat_set_prec(product.pointer, PRECISION_F32);
    this.#cost.set(product.pointer, elementsOf(shape) * a.shape[0]);
    return product;
  }

  /**
   * Σ_k a_k b_kᵀ of F32 matrices a: [n, k], b: [m, k] → [n, m]: the fast way when m or k is as small as a LoRA
   * rank. A back end without the operator gets the same product through transposes.
   */
  outerProduct(a: Tensor, b: Tensor): Tensor {
    const fits = a.shape[1] === b.shape[1] && [a, b].every((tensor) => tensor.type === TensorType.F32);
    this.#check(fits, 'outerProduct', a, b);
    const pointer = this.device.ggml.ggml_out_prod(this.#context, a.pointer, b.pointer);
    if (!this.device.supports(pointer)) return this.mulMat(this.transpose(a), this.transpose(b));
    const shape = shapeOf(a.shape[0], b.shape[0]);
    this.#cost.set(pointer, elementsOf(shape) * a.shape[1]);
    return { pointer, type: TensorType.F32, shape };
  }

  /** Elementwise a + b; b is repeated to the shape of a. */
  add(a: Tensor, b: Tensor): Tensor {
    this.#check(repeatable(b.shape, a.shape), 'add', a, b);
    return this.#node('add', this.device.ggml.ggml_add(this.#context, a.pointer, b.pointer), a.shape);
  }

  /** Elementwise a − b; b is repeated to the shape of a. */
  sub(a: Tensor, b: Tensor): Tensor {
    this.#check(repeatable(b.shape, a.shape), 'sub', a, b);
    return this.#node('sub', this.device.ggml.ggml_sub(this.#context, a.pointer, b.pointer), a.shape);
  }

  /** Elementwise; b is repeated to the shape of a. */
  mul(a: Tensor, b: Tensor): Tensor {
    this.#check(repeatable(b.shape, a.shape), 'mul', a, b);
    return this.#node('mul', this.device.ggml.ggml_mul(this.#context, a.pointer, b.pointer), a.shape);
  }

  /** Elementwise a / b; b is repeated to the shape of a. */
  div(a: Tensor, b: Tensor): Tensor {
    this.#check(repeatable(b.shape, a.shape), 'div', a, b);
    return this.#node('div', this.device.ggml.ggml_div(this.#context, a.pointer, b.pointer), a.shape);
  }

  /** Elementwise a². */
  sqr(a: Tensor): Tensor {
    return this.#node('sqr', this.device.ggml.ggml_sqr(this.#context, a.pointer), a.shape);
  }

  /** Elementwise √a. */
  sqrt(a: Tensor): Tensor {
    return this.#node('sqrt', this.device.ggml.ggml_sqrt(this.#context, a.pointer), a.shape);
  }

  /** Elementwise natural logarithm. */
  log(a: Tensor): Tensor {
    return this.#node('log', this.device.ggml.ggml_log(this.#context, a.pointer), a.shape);
  }

  /** Elementwise a · sigmoid(a). */
  silu(a: Tensor): Tensor {
    return this.#node('silu', this.device.ggml.ggml_silu(this.#context, a.pointer), a.shape);
  }

  /** Elementwise 1 / (1 + e⁻ᵃ). */
  sigmoid(a: Tensor): Tensor {
    return this.#node('sigmoid', this.device.ggml.ggml_sigmoid(this.#context, a.pointer), a.shape);
  }

  /** scale · a + bias */
  scale(a: Tensor, scale: number, bias = 0): Tensor {
    const { ggml } = this.device;
    const pointer =
      bias === 0
        ? ggml.ggml_scale(this.#context, a.pointer, scale)
        : ggml.ggml_scale_bias(this.#context, a.pointer, scale, bias);
    return this.#node('scale', pointer, a.shape);
  }

  /** [n, …] → [1, …] */
  sumRows(a: Tensor): Tensor {
    const shape: Shape = [1, a.shape[1], a.shape[2], a.shape[3]];
    return this.#node('sumRows', this.device.ggml.ggml_sum_rows(this.#context, a.pointer), shape);
  }

  /** [n, rows] → I32 [rows] */
  argmax(a: Tensor): Tensor {
    this.#check(a.shape[2] === 1 && a.shape[3] === 1, 'argmax', a);
    const pointer = this.device.ggml.ggml_argmax(this.#context, a.pointer);
    return this.#node('argmax', pointer, shapeOf(a.shape[1]), TensorType.I32);
  }

  /** x / √(mean(x²) + ε) along the rows. */
  rmsNorm(a: Tensor, epsilon: number): Tensor {
    return this.#node('rmsNorm', this.device.ggml.ggml_rms_norm(this.#context, a.pointer, epsilon), a.shape);
  }

  /** A contiguous copy, of the same shape. */
  cont(a: Tensor): Tensor {
    return this.#node('cont', this.device.ggml.ggml_cont(this.#context, a.pointer), a.shape);
  }

  /** Dimension i of a becomes dimension axes[i]; the result is contiguous. */
  permute(a: Tensor, axes: readonly [number, number, number, number]): Tensor {
    const shape: [number, number, number, number] = [1, 1, 1, 1];
    axes.forEach((axis, i) => (shape[axis] = a.shape[i]!));
    const pointer = this.device.ggml.ggml_permute(this.#context, a.pointer, ...axes);
    return this.cont({ pointer, type: a.type, shape });
  }

  /** [a, b, …] → contiguous [b, a, …] */
  transpose(a: Tensor): Tensor {
    return this.permute(a, [1, 0, 2, 3]);
  }

  /** Of a contiguous tensor. */
  reshape(a: Tensor, ...sizes: number[]): Tensor {
    const shape = shapeOf(...sizes);
    this.#check(elementsOf(shape) === elementsOf(a.shape), `reshape to ${shape.join('×')}`, a);
    const pointer = this.device.ggml.ggml_reshape_4d(this.#context, a.pointer, ...shape);
    return { pointer, type: a.type, shape };
  }

  /** Rows of a [n, rows] by ids [count] → F32 [n, count]. */
  getRows(a: Tensor, ids: Tensor): Tensor {
    this.#check(ids.type === TensorType.I32 && a.shape[2] === 1 && ids.shape[1] === 1, 'getRows', a, ids);
    const shape = shapeOf(a.shape[0], ids.shape[0]);
    return this.#node(
      'getRows',
      this.device.ggml.ggml_get_rows(this.#context, a.pointer, ids.pointer),
      shape,
    );
  }

  /** Soft-max along the rows of scale · a + mask. */
  softMax(a: Tensor, scale: number, mask: Tensor | null): Tensor {
    this.#check(!mask || (mask.shape[0] === a.shape[0] && mask.shape[1] >= a.shape[1]), 'softMax', a);
    const pointer = this.device.ggml.ggml_soft_max_ext(
      this.#context,
      a.pointer,
      mask?.pointer ?? null,
      scale,
      0,
    );
    return this.#node('softMax', pointer, a.shape);
  }

  /** a: [headSize, heads, tokens], positions: I32 [tokens]. */
  rope(a: Tensor, positions: Tensor, options: RopeOptions): Tensor {
    this.#check(positions.shape[0] === a.shape[2] && options.dimensions <= a.shape[0], 'rope', a, positions);
    const { dimensions, mode, base, scale, originalContext, factors } = options;
    const pointer = this.device.ggml.ggml_rope_ext(
      this.#context,
      a.pointer,
      positions.pointer,
      factors?.pointer ?? null,
      dimensions,
      mode,
      originalContext,
      base,
      scale,
      0,
      1,
      32,
      1,
    );
    return this.#node('rope', pointer, a.shape);
  }

  /** Writes a into the memory of target, a tensor that outlives the graph. */
  copyInto(a: Tensor, target: Tensor): Tensor {
    this.#check(sameShape(a.shape, target.shape), 'copyInto', a, target);
    return this.#node(
      'copyInto',
      this.device.ggml.ggml_cpy(this.#context, a.pointer, target.pointer),
      target.shape,
      target.type,
    );
  }

  /**
   * Ends a stage: the tensors, and all they need that no earlier stage computes, belong to it. Stages are run
   * one after the other, so that the host can read results of one and write inputs of the next.
   */
  endStage(...tensors: Tensor[]): void {
    for (const tensor of tensors) this.device.ggml.ggml_build_forward_expand(this.#graph, tensor.pointer);
    this.#stages.push(this.device.ggml.ggml_graph_n_nodes(this.#graph));
  }

  /** Gives every tensor its memory; inputs can be written afterwards. One graph at a time owns an allocator. */
  allocate(allocator: Pointer): void {
    if (!this.device.ggml.ggml_gallocr_alloc_graph(allocator, this.#graph))
      throw new GgmlError('out_of_memory', `${this.device.name} has no memory left for this computation.`);
  }

  /** Runs a stage in slices; `between` is awaited before each, and may wait. */
  async runStage(stage: number, between: () => Promise<void>): Promise<void> {
    const { ggml } = this.device;
    const end = this.#stages[stage] ?? 0;
    let next = stage === 0 ? 0 : this.#stages[stage - 1]!;
    while (next < end) {
      const slice: Pointer[] = [];
      let cost = 0;
      for (; next < end && cost < SLICE_MULTIPLY_ADDS; next++) {
        const node = ggml.ggml_graph_node(this.#graph, next);
        slice.push(node);
        cost += this.#cost.get(node) ?? 0;
      }
      await between();
      await this.device.compute(this.#sliceGraph(slice), cost);
    }
  }

  /** Frees the graph; results have to be read before. */
  dispose(): void {
    for (const context of [...this.#scratch, this.#context]) this.device.ggml.ggml_free(context);
  }

  #sliceGraph(nodes: Pointer[]): Pointer {
    const context = this.device.newContext(1, nodes.length);
    this.#scratch.push(context);
    const graph = this.device.ggml.ggml_new_graph_custom(context, nodes.length, false);
    for (const node of nodes) this.device.ggml.ggml_graph_add_node(graph, node);
    return graph;
  }

  #node(name: string, pointer: Pointer, shape: Shape, type: number = TensorType.F32): Tensor {
    if (!this.device.supports(pointer))
      throw new GgmlError(
        'operator_unsupported',
        `${this.device.name} lacks the operator ${name} for ${shape.join('×')}. Use --gpu cpu.`,
      );
    return { pointer, type, shape };
  }

  #check(fits: boolean, name: string, ...tensors: Tensor[]): void {
    if (fits) return;
    const shapes = tensors.map((tensor) => `${tensor.shape.join('×')} ${this.device.typeName(tensor.type)}`);
    throw new RangeError(`${name} cannot take ${shapes.join(' and ')}.`);
  }
}

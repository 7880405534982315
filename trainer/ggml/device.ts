import { GgmlError } from './errors.ts';
import type { Pointer } from './functions.ts';
import { callAsync, callSetThreads, dequantise } from './koffi.ts';
import { CPU_DEVICE, GPU_DEVICES, loadGgml, type Ggml, type GpuChoice } from './library.ts';
import { ThreadChooser } from './threadChooser.ts';
import { elementsOf, shapeOf, TensorType, type Shape, type Tensor } from './tensor.ts';

const STATUS_SUCCESS = 0;

interface DeviceOptions {
  gpu: GpuChoice;
  /** Most threads to use; fewer are used while others keep the processor busy. */
  threads: number;
}

/** Tensors of one buffer, for example all weights; freed together. */
export interface TensorPool {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly bytes: number;
  get(name: string): Tensor;
  dispose(): void;
}

/** One back end of ggml: memory, transfers and computation. Every native call of the trainer goes through it. */
export class Device {
  readonly ggml: Ggml;
  readonly name: string;
  readonly isCpu: boolean;
  /** True when a GPU was asked for or possible and the processor is used all the same. */
  readonly fellBack: boolean;
  readonly #device: Pointer;
  readonly #backend: Pointer;
  readonly #bufferType: Pointer;
  readonly #threads: ThreadChooser | null;

  /** @throws GgmlError `gpu_not_found`, `gpu_failed`, and what loading ggml throws. */
  constructor(options: DeviceOptions) {
    this.ggml = loadGgml(options.gpu);
    const gpu = options.gpu === 'cpu' ? null : this.#firstOf(GPU_DEVICES);
    if (!gpu && options.gpu !== 'auto' && options.gpu !== 'cpu')
      throw new GgmlError(
        'gpu_not_found',
        `ggml finds no ${options.gpu} device. Check the driver, or use --gpu auto or --gpu cpu.`,
      );
    const device = gpu ?? this.#firstOf([CPU_DEVICE]);
    if (!device) throw new GgmlError('ggml_unknown', `No back end could be loaded from ${this.ggml.folder}.`);
    const backend = this.ggml.ggml_backend_dev_init(device, null);
    if (!backend) throw new GgmlError('gpu_failed', 'The ggml device could not be started. Try --gpu cpu.');
    this.#device = device;
    this.#backend = backend;
    this.#bufferType = this.ggml.ggml_backend_get_default_buffer_type(backend);
    this.name = `${this.ggml.ggml_backend_dev_name(device)} (${this.ggml.ggml_backend_dev_description(device)})`;
    this.isCpu = this.ggml.ggml_backend_dev_type(device) === CPU_DEVICE;
    this.fellBack = this.isCpu && this.ggml.flavour !== 'cpu';
    this.#threads = this.isCpu ? new ThreadChooser(options.threads) : null;
  }

  /** Bytes of a tensor of the type and shape. */
  bytesOf(type: number, shape: Shape): number {
    return this.ggml.ggml_row_size(type, shape[0]) * (elementsOf(shape) / shape[0]);
  }

  /** Name of an element type for a message, for example q5_0. */
  typeName(type: number): string {
    return this.ggml.ggml_type_name(type) ?? `type ${type}`;
  }

  /**
   * Allocates named tensors in one buffer of the device; contents are undefined.
   *
   * @throws GgmlError `out_of_memory`
   */
  allocate(specs: { name: string; type: number; shape: Shape }[]): TensorPool {
    const context = this.newContext(specs.length + 1, 0);
    const tensors = new Map<string, Tensor>();
    for (const { name, type, shape } of specs) {
      const pointer = this.ggml.ggml_new_tensor_4d(context, type, ...shape);
      this.ggml.ggml_set_name(pointer, name);
      tensors.set(name, { pointer, type, shape });
    }
    const buffer = this.ggml.ggml_backend_alloc_ctx_tensors(context, this.#backend);
    if (!buffer) {
      const bytes = specs.reduce((sum, { type, shape }) => sum + this.bytesOf(type, shape), 0);
      this.ggml.ggml_free(context);
      throw new GgmlError('out_of_memory', `${this.name} has no ${Math.ceil(bytes / 2 ** 20)} MiB free.`);
    }
    const { ggml } = this;
    return {
      tensors,
      bytes: ggml.ggml_backend_buffer_get_size(buffer),
      get(name) {
        const tensor = tensors.get(name);
        if (!tensor) throw new RangeError(`No tensor ${name} in this pool.`);
        return tensor;
      },
      dispose() {
        ggml.ggml_backend_buffer_free(buffer);
        ggml.ggml_free(context);
      },
    };
  }

  /** Copies host memory into a tensor; `data` holds it whole, in the tensor's own type. */
  upload(tensor: Tensor, data: Uint8Array | Float32Array | Int32Array | Uint16Array): void {
    const bytes = this.ggml.ggml_nbytes(tensor.pointer);
    if (data.byteLength !== bytes)
      throw new RangeError(`Tensor of ${bytes} bytes cannot take ${data.byteLength} bytes.`);
    this.ggml.ggml_backend_tensor_set(tensor.pointer, data, 0, bytes);
  }

  /** Like `upload`, for an input that the graph may not use: then it has no memory, and nothing happens. */
  uploadIfUsed(tensor: Tensor, data: Float32Array | Int32Array): void {
    if (this.ggml.ggml_get_data(tensor.pointer)) this.upload(tensor, data);
  }

  /** Copies an F32 tensor to the host, in ggml's order; RangeError for another type. */
  downloadFloats(tensor: Tensor): Float32Array {
    if (tensor.type !== TensorType.F32) throw new RangeError('Only F32 tensors are read as floats.');
    const data = new Float32Array(elementsOf(tensor.shape));
    this.ggml.ggml_backend_tensor_get(tensor.pointer, data, 0, data.byteLength);
    return data;
  }

  /** Copies an I32 tensor to the host, in ggml's order; RangeError for another type. */
  downloadInts(tensor: Tensor): Int32Array {
    if (tensor.type !== TensorType.I32) throw new RangeError('Only I32 tensors are read as integers.');
    const data = new Int32Array(elementsOf(tensor.shape));
    this.ggml.ggml_backend_tensor_get(tensor.pointer, data, 0, data.byteLength);
    return data;
  }

  /** Sets every byte of a tensor to 0. */
  zero(tensor: Tensor): void {
    this.ggml.ggml_backend_tensor_memset(tensor.pointer, 0, 0, this.ggml.ggml_nbytes(tensor.pointer));
  }

  /** Whether the back end can compute the operator whose result the tensor is, for its types and shapes. */
  supports(tensor: Pointer): boolean {
    return this.ggml.ggml_backend_dev_supports_op(this.#device, tensor);
  }

  /** Runs a native graph of about `work` multiply-adds on a thread of the pool. */
  async compute(graph: Pointer, work: number): Promise<void> {
    const threads = this.#threads?.next();
    if (threads) this.#setThreads(threads);
    const start = performance.now();
    const status = await callAsync(this.ggml, 'ggml_backend_graph_compute', this.#backend, graph);
    if (threads) this.#threads?.record(threads, work, performance.now() - start);
    if (status !== STATUS_SUCCESS)
      throw new GgmlError('compute_failed', `${this.name} stopped with status ${String(status)}.`);
  }

  /**
   * Room for the description of so many tensors and of one graph, without their data; `ggml_free` gives it back.
   *
   * @throws GgmlError `out_of_memory`
   */
  newContext(tensors: number, graphNodes: number): Pointer {
    const graphBytes = graphNodes > 0 ? this.ggml.ggml_graph_overhead_custom(graphNodes, false) : 0;
    const mem_size = tensors * this.ggml.ggml_tensor_overhead() + graphBytes + 1024;
    const context = this.ggml.ggml_init({ mem_size, mem_buffer: null, no_alloc: true });
    if (!context) throw new GgmlError('out_of_memory', 'No memory for a ggml context.');
    return context;
  }

  /** An allocator of memory for one graph at a time; `ggml_gallocr_free` gives it back. */
  newAllocator(): Pointer {
    return this.ggml.ggml_gallocr_new(this.#bufferType);
  }

  /**
   * Floats of `count` elements stored in any type that ggml can dequantise.
   *
   * @throws GgmlError `type_unsupported` naming the type.
   */
  dequantise(type: number, source: Uint8Array, count: number): Float32Array {
    if (type === TensorType.F32) return new Float32Array(source.slice().buffer, 0, count);
    const floats = dequantise(this.ggml.ggml_get_type_traits(type), source, count);
    if (!floats)
      throw new GgmlError(
        'type_unsupported',
        `Weights of type ${this.typeName(type)} cannot be dequantised.`,
      );
    return floats;
  }

  /** Bytes of `floats` in the given type; rows of `rowLength`. */
  quantise(type: number, floats: Float32Array, rowLength: number): Uint8Array {
    const rows = floats.length / rowLength;
    if (type === TensorType.F32) return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
    const target = new Uint8Array(this.bytesOf(type, shapeOf(rowLength, rows)));
    this.ggml.ggml_quantize_chunk(type, floats, target, 0, rows, rowLength, null);
    return target;
  }

  /** Frees the back end; what was allocated on it has to be freed before. */
  dispose(): void {
    this.ggml.ggml_backend_free(this.#backend);
  }

  #firstOf(types: number[]): Pointer | null {
    for (const type of types) {
      const device = this.ggml.ggml_backend_dev_by_type(type);
      if (device) return device;
    }
    return null;
  }

  #setThreads(threads: number): void {
    const registry = this.ggml.ggml_backend_dev_backend_reg(this.#device);
    const routine = this.ggml.ggml_backend_reg_get_proc_address(registry, 'ggml_backend_set_n_threads');
    if (routine) callSetThreads(routine, this.#backend, threads);
  }
}

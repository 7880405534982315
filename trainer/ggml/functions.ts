/**
 * Mirror of the part of ggml's C API that Hone calls: the only untyped seam. `ggml` names, C prototypes and
 * TypeScript signatures are kept side by side; a name in one table and not in the other does not compile.
 */
import type { LibraryHandle } from './koffi.ts';

/** Address of a native object. */
export type Pointer = bigint;
/** Memory that ggml reads from or writes to during the call. */
type Bytes = Uint8Array | Float32Array | Int32Array | Uint16Array | BigInt64Array;
type Nullable = Pointer | null;

interface InitParams {
  mem_size: number;
  mem_buffer: null;
  no_alloc: boolean;
}

interface GgufInitParams {
  no_alloc: boolean;
  ctx: null;
}

/** Functions of the base library. */
export interface BaseFunctions {
  ggml_version(): string;
  ggml_init(params: InitParams): Nullable;
  ggml_free(context: Pointer): void;
  ggml_tensor_overhead(): number;
  ggml_graph_overhead_custom(size: number, grads: boolean): number;
  ggml_type_name(type: number): string | null;
  ggml_type_size(type: number): number;
  ggml_blck_size(type: number): number;
  ggml_row_size(type: number, elements: number): number;
  ggml_nbytes(tensor: Pointer): number;
  ggml_get_data(tensor: Pointer): Nullable;
  ggml_get_type_traits(type: number): Pointer;
  ggml_quantize_chunk(
    type: number,
    source: Float32Array,
    target: Uint8Array,
    start: number,
    rows: number,
    perRow: number,
    importance: null,
  ): number;
  ggml_new_tensor_4d(context: Pointer, type: number, a: number, b: number, c: number, d: number): Pointer;
  ggml_set_name(tensor: Pointer, name: string): Pointer;
  ggml_set_input(tensor: Pointer): void;
  ggml_set_output(tensor: Pointer): void;
  ggml_add(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_sub(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_mul(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_div(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_sqr(context: Pointer, a: Pointer): Pointer;
  ggml_sqrt(context: Pointer, a: Pointer): Pointer;
  ggml_log(context: Pointer, a: Pointer): Pointer;
  ggml_silu(context: Pointer, a: Pointer): Pointer;
  ggml_sigmoid(context: Pointer, a: Pointer): Pointer;
  ggml_sum_rows(context: Pointer, a: Pointer): Pointer;
  ggml_argmax(context: Pointer, a: Pointer): Pointer;
  ggml_scale(context: Pointer, a: Pointer, scale: number): Pointer;
  ggml_scale_bias(context: Pointer, a: Pointer, scale: number, bias: number): Pointer;
  ggml_rms_norm(context: Pointer, a: Pointer, epsilon: number): Pointer;
  ggml_mul_mat(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_out_prod(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_mul_mat_set_prec(product: Pointer, precision: number): void;
  ggml_cont(context: Pointer, a: Pointer): Pointer;
  ggml_cpy(context: Pointer, a: Pointer, b: Pointer): Pointer;
  ggml_permute(context: Pointer, a: Pointer, x: number, y: number, z: number, w: number): Pointer;
  ggml_reshape_4d(context: Pointer, a: Pointer, x: number, y: number, z: number, w: number): Pointer;
  ggml_get_rows(context: Pointer, a: Pointer, ids: Pointer): Pointer;
  ggml_soft_max_ext(context: Pointer, a: Pointer, mask: Nullable, scale: number, maxBias: number): Pointer;
  ggml_rope_ext(
    context: Pointer,
    a: Pointer,
    positions: Pointer,
    factors: Nullable,
    dimensions: number,
    mode: number,
    originalContext: number,
    base: number,
    scale: number,
    extFactor: number,
    attentionFactor: number,
    betaFast: number,
    betaSlow: number,
  ): Pointer;
  ggml_new_graph_custom(context: Pointer, size: number, grads: boolean): Pointer;
  ggml_build_forward_expand(graph: Pointer, tensor: Pointer): void;
  ggml_graph_n_nodes(graph: Pointer): number;
  ggml_graph_node(graph: Pointer, index: number): Pointer;
  ggml_graph_add_node(graph: Pointer, tensor: Pointer): void;
  ggml_gallocr_new(bufferType: Pointer): Pointer;
  ggml_gallocr_free(allocator: Pointer): void;
  ggml_gallocr_alloc_graph(allocator: Pointer, graph: Pointer): boolean;
  ggml_backend_alloc_ctx_tensors(context: Pointer, backend: Pointer): Nullable;
  ggml_backend_buffer_free(buffer: Pointer): void;
  ggml_backend_buffer_get_size(buffer: Pointer): number;
  ggml_backend_tensor_set(tensor: Pointer, data: Bytes, offset: number, size: number): void;
  ggml_backend_tensor_get(tensor: Pointer, data: Bytes, offset: number, size: number): void;
  ggml_backend_tensor_memset(tensor: Pointer, value: number, offset: number, size: number): void;
  ggml_backend_get_default_buffer_type(backend: Pointer): Pointer;
  ggml_backend_graph_compute(backend: Pointer, graph: Pointer): number;
  ggml_backend_free(backend: Pointer): void;
  ggml_backend_dev_name(device: Pointer): string;
  ggml_backend_dev_description(device: Pointer): string;
  ggml_backend_dev_type(device: Pointer): number;
  ggml_backend_dev_init(device: Pointer, params: null): Nullable;
  ggml_backend_dev_backend_reg(device: Pointer): Pointer;
  ggml_backend_dev_supports_op(device: Pointer, op: Pointer): boolean;
  ggml_backend_reg_get_proc_address(registry: Pointer, name: string): Nullable;
  gguf_init_empty(): Pointer;
  gguf_init_from_file(path: string, params: GgufInitParams): Nullable;
  gguf_free(file: Pointer): void;
  gguf_get_n_kv(file: Pointer): number;
  gguf_get_key(file: Pointer, index: number): string;
  gguf_find_key(file: Pointer, key: string): number;
  gguf_get_kv_type(file: Pointer, index: number): number;
  gguf_get_val_u8(file: Pointer, index: number): number;
  gguf_get_val_i8(file: Pointer, index: number): number;
  gguf_get_val_u16(file: Pointer, index: number): number;
  gguf_get_val_i16(file: Pointer, index: number): number;
  gguf_get_val_u32(file: Pointer, index: number): number;
  gguf_get_val_i32(file: Pointer, index: number): number;
  gguf_get_val_u64(file: Pointer, index: number): number;
  gguf_get_val_i64(file: Pointer, index: number): number;
  gguf_get_val_f32(file: Pointer, index: number): number;
  gguf_get_val_f64(file: Pointer, index: number): number;
  gguf_get_val_bool(file: Pointer, index: number): boolean;
  gguf_get_val_str(file: Pointer, index: number): string;
  gguf_get_arr_n(file: Pointer, index: number): number;
  gguf_get_data_offset(file: Pointer): number;
  gguf_get_n_tensors(file: Pointer): number;
  gguf_get_tensor_name(file: Pointer, index: number): string;
  gguf_get_tensor_ne(file: Pointer, index: number): Pointer;
  gguf_get_tensor_type(file: Pointer, index: number): number;
  gguf_get_tensor_offset(file: Pointer, index: number): number;
  gguf_get_tensor_size(file: Pointer, index: number): number;
  gguf_set_val_str(file: Pointer, key: string, value: string): void;
  gguf_set_val_f32(file: Pointer, key: string, value: number): void;
  gguf_set_val_u32(file: Pointer, key: string, value: number): void;
  gguf_add_tensor(file: Pointer, tensor: Pointer): void;
  gguf_set_tensor_data(file: Pointer, name: string, data: Uint8Array): void;
  gguf_write_to_file(file: Pointer, path: string, onlyMeta: boolean): boolean;
}

/** Functions of the registry library. */
export interface RegistryFunctions {
  ggml_backend_load_all_from_path(folder: string): void;
  ggml_backend_dev_count(): number;
  ggml_backend_dev_get(index: number): Nullable;
  ggml_backend_dev_by_type(type: number): Nullable;
}

const BASE: Record<keyof BaseFunctions, string> = {
  ggml_version: 'const char* ggml_version()',
  ggml_init: 'void* ggml_init(ggml_init_params params)',
  ggml_free: 'void ggml_free(void* ctx)',
  ggml_tensor_overhead: 'size_t ggml_tensor_overhead()',
  ggml_graph_overhead_custom: 'size_t ggml_graph_overhead_custom(size_t size, bool grads)',
  ggml_type_name: 'const char* ggml_type_name(int type)',
  ggml_type_size: 'size_t ggml_type_size(int type)',
  ggml_blck_size: 'int64_t ggml_blck_size(int type)',
  ggml_row_size: 'size_t ggml_row_size(int type, int64_t ne)',
  ggml_nbytes: 'size_t ggml_nbytes(void* t)',
  ggml_get_data: 'void* ggml_get_data(void* t)',
  ggml_get_type_traits: 'void* ggml_get_type_traits(int type)',
  ggml_quantize_chunk:
    'size_t ggml_quantize_chunk(int type, const float* src, void* dst, int64_t start, int64_t nrows, int64_t n_per_row, const float* imatrix)',
  ggml_new_tensor_4d:
    'void* ggml_new_tensor_4d(void* ctx, int type, int64_t a, int64_t b, int64_t c, int64_t d)',
  ggml_set_name: 'void* ggml_set_name(void* t, const char* name)',
  ggml_set_input: 'void ggml_set_input(void* t)',
  ggml_set_output: 'void ggml_set_output(void* t)',
  ggml_add: 'void* ggml_add(void* ctx, void* a, void* b)',
  ggml_sub: 'void* ggml_sub(void* ctx, void* a, void* b)',
  ggml_mul: 'void* ggml_mul(void* ctx, void* a, void* b)',
  ggml_div: 'void* ggml_div(void* ctx, void* a, void* b)',
  ggml_sqr: 'void* ggml_sqr(void* ctx, void* a)',
  ggml_sqrt: 'void* ggml_sqrt(void* ctx, void* a)',
  ggml_log: 'void* ggml_log(void* ctx, void* a)',
  ggml_silu: 'void* ggml_silu(void* ctx, void* a)',
  ggml_sigmoid: 'void* ggml_sigmoid(void* ctx, void* a)',
  ggml_sum_rows: 'void* ggml_sum_rows(void* ctx, void* a)',
  ggml_argmax: 'void* ggml_argmax(void* ctx, void* a)',
  ggml_scale: 'void* ggml_scale(void* ctx, void* a, float s)',
  ggml_scale_bias: 'void* ggml_scale_bias(void* ctx, void* a, float s, float b)',
  ggml_rms_norm: 'void* ggml_rms_norm(void* ctx, void* a, float eps)',
  ggml_mul_mat: 'void* ggml_mul_mat(void* ctx, void* a, void* b)',
  ggml_out_prod: 'void* ggml_out_prod(void* ctx, void* a, void* b)',
  ggml_mul_mat_set_prec: 'void ggml_mul_mat_set_prec(void* a, int prec)',
  ggml_cont: 'void* ggml_cont(void* ctx, void* a)',
  ggml_cpy: 'void* ggml_cpy(void* ctx, void* a, void* b)',
  ggml_permute: 'void* ggml_permute(void* ctx, void* a, int x, int y, int z, int w)',
  ggml_reshape_4d: 'void* ggml_reshape_4d(void* ctx, void* a, int64_t x, int64_t y, int64_t z, int64_t w)',
  ggml_get_rows: 'void* ggml_get_rows(void* ctx, void* a, void* b)',
  ggml_soft_max_ext: 'void* ggml_soft_max_ext(void* ctx, void* a, void* mask, float scale, float max_bias)',
  ggml_rope_ext:
    'void* ggml_rope_ext(void* ctx, void* a, void* b, void* c, int n_dims, int mode, int n_ctx_orig, float freq_base, float freq_scale, float ext_factor, float attn_factor, float beta_fast, float beta_slow)',
  ggml_new_graph_custom: 'void* ggml_new_graph_custom(void* ctx, size_t size, bool grads)',
  ggml_build_forward_expand: 'void ggml_build_forward_expand(void* graph, void* t)',
  ggml_graph_n_nodes: 'int ggml_graph_n_nodes(void* graph)',
  ggml_graph_node: 'void* ggml_graph_node(void* graph, int i)',
  ggml_graph_add_node: 'void ggml_graph_add_node(void* graph, void* t)',
  ggml_gallocr_new: 'void* ggml_gallocr_new(void* buft)',
  ggml_gallocr_free: 'void ggml_gallocr_free(void* galloc)',
  ggml_gallocr_alloc_graph: 'bool ggml_gallocr_alloc_graph(void* galloc, void* graph)',
  ggml_backend_alloc_ctx_tensors: 'void* ggml_backend_alloc_ctx_tensors(void* ctx, void* backend)',
  ggml_backend_buffer_free: 'void ggml_backend_buffer_free(void* buffer)',
  ggml_backend_buffer_get_size: 'size_t ggml_backend_buffer_get_size(void* buffer)',
  ggml_backend_tensor_set:
    'void ggml_backend_tensor_set(void* t, const void* data, size_t offset, size_t size)',
  ggml_backend_tensor_get:
    'void ggml_backend_tensor_get(void* t, _Out_ void* data, size_t offset, size_t size)',
  ggml_backend_tensor_memset:
    'void ggml_backend_tensor_memset(void* t, uint8_t value, size_t offset, size_t size)',
  ggml_backend_get_default_buffer_type: 'void* ggml_backend_get_default_buffer_type(void* backend)',
  ggml_backend_graph_compute: 'int ggml_backend_graph_compute(void* backend, void* graph)',
  ggml_backend_free: 'void ggml_backend_free(void* backend)',
  ggml_backend_dev_name: 'const char* ggml_backend_dev_name(void* dev)',
  ggml_backend_dev_description: 'const char* ggml_backend_dev_description(void* dev)',
  ggml_backend_dev_type: 'int ggml_backend_dev_type(void* dev)',
  ggml_backend_dev_init: 'void* ggml_backend_dev_init(void* dev, const char* params)',
  ggml_backend_dev_backend_reg: 'void* ggml_backend_dev_backend_reg(void* dev)',
  ggml_backend_dev_supports_op: 'bool ggml_backend_dev_supports_op(void* dev, void* op)',
  ggml_backend_reg_get_proc_address: 'void* ggml_backend_reg_get_proc_address(void* reg, const char* name)',
  gguf_init_empty: 'void* gguf_init_empty()',
  gguf_init_from_file: 'void* gguf_init_from_file(const char* path, gguf_init_params params)',
  gguf_free: 'void gguf_free(void* f)',
  gguf_get_n_kv: 'int64_t gguf_get_n_kv(void* f)',
  gguf_get_key: 'const char* gguf_get_key(void* f, int64_t i)',
  gguf_find_key: 'int64_t gguf_find_key(void* f, const char* key)',
  gguf_get_kv_type: 'int gguf_get_kv_type(void* f, int64_t i)',
  gguf_get_val_u8: 'uint8_t gguf_get_val_u8(void* f, int64_t i)',
  gguf_get_val_i8: 'int8_t gguf_get_val_i8(void* f, int64_t i)',
  gguf_get_val_u16: 'uint16_t gguf_get_val_u16(void* f, int64_t i)',
  gguf_get_val_i16: 'int16_t gguf_get_val_i16(void* f, int64_t i)',
  gguf_get_val_u32: 'uint32_t gguf_get_val_u32(void* f, int64_t i)',
  gguf_get_val_i32: 'int32_t gguf_get_val_i32(void* f, int64_t i)',
  gguf_get_val_u64: 'uint64_t gguf_get_val_u64(void* f, int64_t i)',
  gguf_get_val_i64: 'int64_t gguf_get_val_i64(void* f, int64_t i)',
  gguf_get_val_f32: 'float gguf_get_val_f32(void* f, int64_t i)',
  gguf_get_val_f64: 'double gguf_get_val_f64(void* f, int64_t i)',
  gguf_get_val_bool: 'bool gguf_get_val_bool(void* f, int64_t i)',
  gguf_get_val_str: 'const char* gguf_get_val_str(void* f, int64_t i)',
  gguf_get_arr_n: 'size_t gguf_get_arr_n(void* f, int64_t i)',
  gguf_get_data_offset: 'size_t gguf_get_data_offset(void* f)',
  gguf_get_n_tensors: 'int64_t gguf_get_n_tensors(void* f)',
  gguf_get_tensor_name: 'const char* gguf_get_tensor_name(void* f, int64_t i)',
  gguf_get_tensor_ne: 'void* gguf_get_tensor_ne(void* f, int64_t i)',
  gguf_get_tensor_type: 'int gguf_get_tensor_type(void* f, int64_t i)',
  gguf_get_tensor_offset: 'size_t gguf_get_tensor_offset(void* f, int64_t i)',
  gguf_get_tensor_size: 'size_t gguf_get_tensor_size(void* f, int64_t i)',
  gguf_set_val_str: 'void gguf_set_val_str(void* f, const char* key, const char* value)',
  gguf_set_val_f32: 'void gguf_set_val_f32(void* f, const char* key, float value)',
  gguf_set_val_u32: 'void gguf_set_val_u32(void* f, const char* key, uint32_t value)',
  gguf_add_tensor: 'void gguf_add_tensor(void* f, void* t)',
  gguf_set_tensor_data: 'void gguf_set_tensor_data(void* f, const char* name, const void* data)',
  gguf_write_to_file: 'bool gguf_write_to_file(void* f, const char* path, bool only_meta)',
};

const REGISTRY: Record<keyof RegistryFunctions, string> = {
  ggml_backend_load_all_from_path: 'void ggml_backend_load_all_from_path(const char* dir)',
  ggml_backend_dev_count: 'size_t ggml_backend_dev_count()',
  ggml_backend_dev_get: 'void* ggml_backend_dev_get(size_t i)',
  ggml_backend_dev_by_type: 'void* ggml_backend_dev_by_type(int type)',
};

/** Binds every function, or throws what koffi says of the first one that the library lacks. */
export function bindBase(library: LibraryHandle): BaseFunctions {
  return bind<BaseFunctions>(library, BASE);
}

/** As `bindBase`, for the library that knows the back ends. */
export function bindRegistry(library: LibraryHandle): RegistryFunctions {
  return bind<RegistryFunctions>(library, REGISTRY);
}

function bind<Functions>(library: LibraryHandle, prototypes: Record<keyof Functions, string>): Functions {
  const names = Object.keys(prototypes) as (keyof Functions)[];
  return Object.fromEntries(names.map((name) => [name, library.func(prototypes[name])])) as Functions;
}

/** The four things Hone needs of koffi, typed. */
import koffi from 'koffi';

/** An opened shared library. */
export interface LibraryHandle {
  func(prototype: string): unknown;
}

koffi.struct('ggml_init_params', { mem_size: 'size_t', mem_buffer: 'void*', no_alloc: 'bool' });
koffi.struct('gguf_init_params', { no_alloc: 'bool', ctx: 'void*' });
const typeTraits = koffi.struct('ggml_type_traits', {
  type_name: 'const char*',
  blck_size: 'int64_t',
  blck_size_interleave: 'int64_t',
  type_size: 'size_t',
  is_quantized: 'bool',
  to_float: 'void*',
  from_float_ref: 'void*',
});
const toFloat = koffi.proto('void ggml_to_float(const void* x, _Out_ float* y, int64_t k)');
const setThreads = koffi.proto('void ggml_set_n_threads(void* backend, int threads)');

/** Opens a shared library with its symbols visible to libraries opened later. */
export function openLibrary(path: string): LibraryHandle {
  return koffi.load(path, { global: true });
}

/** Calls a bound function by name on a thread of the pool, so that the event loop goes on. */
export function callAsync<Functions>(
  bound: Functions,
  name: keyof Functions,
  ...args: unknown[]
): Promise<unknown> {
  const native = bound[name] as { async(...args: unknown[]): void };
  return new Promise((resolve, reject) => {
    native.async(...args, (error: Error | null, result: unknown) =>
      error ? reject(error) : resolve(result),
    );
  });
}

/** Dequantises `count` elements with the type's own routine; null when the type has none. */
export function dequantise(traits: bigint, source: Uint8Array, count: number): Float32Array | null {
  const { to_float: routine } = koffi.decode(traits, typeTraits) as { to_float: bigint | null };
  if (!routine) return null;
  const target = new Float32Array(count);
  koffi.call(routine, toFloat, source, target, count);
  return target;
}

/** Calls a back end's `ggml_backend_set_n_threads`, found by its address: it lies in the back end's own library. */
export function callSetThreads(routine: bigint, backend: bigint, threads: number): void {
  koffi.call(routine, setThreads, backend, threads);
}

/** Reads `count` 64-bit integers at an address. */
export function readInt64s(address: bigint, count: number): number[] {
  return Array.from(
    koffi.decode(address, koffi.array('int64_t', count)) as ArrayLike<number | bigint>,
    Number,
  );
}

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GgmlError } from './errors.ts';
import { bindBase, bindRegistry, type BaseFunctions, type RegistryFunctions } from './functions.ts';
import { openLibrary } from './koffi.ts';

export type GpuChoice = 'auto' | 'cpu' | 'cuda' | 'vulkan' | 'metal';

/** ggml, loaded with every back end of one platform package. */
export interface Ggml extends BaseFunctions, RegistryFunctions {
  /** Folder that the libraries were loaded from. */
  readonly folder: string;
  /** Which package it is: cpu, cuda, vulkan or metal. */
  readonly flavour: Flavour;
}

const FLAVOURS = ['cuda', 'vulkan', 'metal', 'cpu'] as const;
type Flavour = (typeof FLAVOURS)[number];

/** Value of ggml_backend_dev_type for the processor. */
export const CPU_DEVICE = 0;
/** The same for a graphics device: of its own, and one that shares the memory. */
export const GPU_DEVICES = [1, 2];

/** The driver library without which a flavour cannot work; tried before its ggml is loaded. */
const DRIVERS: Record<string, string[]> = {
  cuda: ['libcuda.so.1', 'nvcuda.dll'],
  vulkan: ['libvulkan.so.1', 'vulkan-1.dll'],
};

let loaded: Ggml | undefined;

/**
 * Loads the ggml that node-llama-cpp installed. One process has one ggml: a second call returns the first.
 *
 * @throws GgmlError `ggml_not_installed` when no platform package holds the flavour, `ggml_unknown` when the
 * library lacks a function that Hone calls.
 */
export function loadGgml(gpu: GpuChoice): Ggml {
  if (loaded) {
    if (gpu !== 'auto' && gpu !== loaded.flavour)
      throw new GgmlError(
        'ggml_loaded',
        `ggml is already loaded for ${loaded.flavour}; restart to use ${gpu}.`,
      );
    return loaded;
  }
  const packages = findPackages();
  const wanted = gpu === 'auto' ? FLAVOURS.filter((flavour) => hasDriver(flavour)) : [gpu];
  const flavour = wanted.find((name) => packages.has(name));
  if (!flavour) {
    const found = [...packages.keys()].join(', ') || 'none';
    throw new GgmlError(
      'ggml_not_installed',
      `No llama.cpp library for ${gpu} on ${process.platform}-${process.arch} (installed: ${found}). ` +
        'Install the matching @node-llama-cpp package, or choose another --gpu.',
    );
  }
  loaded = open(packages.get(flavour)!, flavour);
  return loaded;
}

export interface FlavourReport {
  flavour: Ggml['flavour'];
  /** Its platform package is here. */
  installed: boolean;
  /** The driver library that it needs can be loaded. */
  driver: boolean;
}

/** Which flavours have their package here, and the driver that they need. */
export function flavoursHere(): FlavourReport[] {
  const packages = findPackages();
  return FLAVOURS.map((flavour) => ({
    flavour,
    installed: packages.has(flavour),
    driver: hasDriver(flavour),
  }));
}

/** Flavour → folder with the shared libraries, searched in every node_modules above this file. */
function findPackages(): Map<Flavour, string> {
  const found = new Map<Flavour, string>();
  for (const flavour of FLAVOURS) {
    const folder = findPackage(flavour === 'cpu' ? '' : `-${flavour}`);
    if (folder !== undefined) found.set(flavour, folder);
  }
  return found;
}

/** Folder with the libraries of this platform's package with that ending; undefined: not installed. */
function findPackage(ending: string): string | undefined {
  const platform =
    { linux: 'linux', darwin: 'mac', win32: 'win' }[process.platform as string] ?? process.platform;
  const roots = createRequire(import.meta.url).resolve.paths('x') ?? [];
  for (const root of roots) {
    const bins = join(root, '@node-llama-cpp', `${platform}-${process.arch}${ending}`, 'bins');
    const folder = existsSync(bins)
      ? readdirSync(bins).find((entry) => entry.startsWith(platform))
      : undefined;
    if (folder !== undefined) return join(bins, folder);
  }
  return undefined;
}

function hasDriver(flavour: string): boolean {
  const names = DRIVERS[flavour];
  if (!names) return true;
  return names.some((name) => {
    try {
      openLibrary(name);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Of the files of a package, the base library and the registry. Their names carry version and flavour:
 * libggml.v0.5.0.so, libggml.cuda.v0.5.0.so, ggml.dll.
 */
export function libraryFiles(names: readonly string[]): {
  base: string | undefined;
  registry: string | undefined;
} {
  return {
    base: names.find((name) => /^(lib)?ggml-base(\.v[\d.]+)?\.(so|dylib|dll)$/.test(name)),
    registry: names.find((name) =>
      /^(lib)?ggml(\.(cuda|vulkan|metal))?(\.v[\d.]+)?\.(so|dylib|dll)$/.test(name),
    ),
  };
}

function open(folder: string, flavour: Flavour): Ggml {
  const { base, registry } = libraryFiles(readdirSync(folder));
  if (!base || !registry)
    throw new GgmlError(
      'ggml_unknown',
      `${folder} holds no ggml that Hone knows. Reinstall node-llama-cpp 3.22.1.`,
    );
  try {
    const functions = {
      ...bindBase(openLibrary(join(folder, base))),
      ...bindRegistry(openLibrary(join(folder, registry))),
    };
    functions.ggml_backend_load_all_from_path(folder);
    // A second package holds the same back end for an older driver's runtime (CUDA 12 beside 13).
    const older = findPackage(`-${flavour}-ext`);
    if (flavour !== 'cpu' && !seesGpu(functions) && older !== undefined)
      functions.ggml_backend_load_all_from_path(join(older, 'fallback'));
    return { ...functions, folder, flavour };
  } catch (error) {
    throw new GgmlError(
      'ggml_unknown',
      `The ggml in ${folder} is not the one Hone was built for (${String(error)}). Reinstall node-llama-cpp 3.22.1.`,
    );
  }
}

/** Whether the loaded ggml sees a graphics device, dedicated or shared with the processor. */
function seesGpu(functions: RegistryFunctions): boolean {
  return GPU_DEVICES.some((type) => functions.ggml_backend_dev_by_type(type) !== null);
}

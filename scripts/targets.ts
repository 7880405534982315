/** What each platform's binaries are called by the packages that have them, by the name the marketplace gives it. */

type GpuVariant = 'cuda' | 'vulkan';

/** What one package is built for. */
export interface Target {
  /** As `vsce --target` spells it. */
  platform: string;
  /** The graphics runtime inside; null: the platform's plain one. */
  gpu: GpuVariant | null;
}

interface PlatformNames {
  llama: string;
  /** Packages of node-llama-cpp beside the plain one. */
  gpu: Partial<Record<GpuVariant, string[]>>;
  /** Folder in koffi's platform package. */
  koffi: string;
  sqlite: string;
  /** Format and processor of a binary, as `binaryKind` tells them. */
  binaries: string;
}

const LINUX_X64_GPU = { cuda: ['linux-x64-cuda', 'linux-x64-cuda-ext'], vulkan: ['linux-x64-vulkan'] };
const WIN_X64_GPU = { cuda: ['win-x64-cuda', 'win-x64-cuda-ext'], vulkan: ['win-x64-vulkan'] };

export const PLATFORMS: Record<string, PlatformNames> = {
  'linux-x64': names('linux-x64', 'linux_x64', 'linux-x64', 'elf-x64', LINUX_X64_GPU),
  'linux-arm64': names('linux-arm64', 'linux_arm64', 'linux-arm64', 'elf-arm64'),
  'darwin-x64': names('mac-x64', 'darwin_x64', 'darwin-x64', 'macho-x64'),
  // Its plain runtime has Metal.
  'darwin-arm64': names('mac-arm64-metal', 'darwin_arm64', 'darwin-arm64', 'macho-arm64'),
  'win32-x64': names('win-x64', 'win32_x64', 'win32-x64', 'pe-x64', WIN_X64_GPU),
  'win32-arm64': names('win-arm64', 'win32_arm64', 'win32-arm64', 'pe-arm64'),
};

/**
 * The target that the options name; without a platform, this computer's.
 *
 * @throws Error naming what there is
 */
export function targetOf(platform: string | undefined, gpu: string | undefined): Target {
  const name = platform ?? `${process.platform}-${process.arch}`;
  const known = PLATFORMS[name];
  if (known === undefined)
    throw new Error(
      `No package can be built for ${name}; choose --target ${Object.keys(PLATFORMS).join(', ')}.`,
    );
  if (gpu === undefined) return { platform: name, gpu: null };
  const variants = Object.keys(known.gpu);
  if (!variants.includes(gpu))
    throw new Error(`There is no runtime "${gpu}" for ${name}; there ${describe(variants)}.`);
  return { platform: name, gpu: gpu as GpuVariant };
}

/** Names of the packages with the target's binaries of llama.cpp and koffi. */
export function platformPackages({ platform, gpu }: Target): string[] {
  const { llama, gpu: variants } = PLATFORMS[platform]!;
  const runtimes = [llama, ...(gpu === null ? [] : variants[gpu]!)];
  return [...runtimes.map((name) => `@node-llama-cpp/${name}`), `@koromix/koffi-${platform}`];
}

/** `hone-linux-x64-cuda.vsix` */
export function packageFileName({ platform, gpu }: Target): string {
  return `hone-${platform}${gpu === null ? '' : `-${gpu}`}.vsix`;
}

function names(
  llama: string,
  koffi: string,
  sqlite: string,
  binaries: string,
  gpu: PlatformNames['gpu'] = {},
): PlatformNames {
  return { llama, gpu, koffi, sqlite, binaries };
}

function describe(variants: string[]): string {
  return variants.length === 0 ? 'is none beside the plain one' : `are ${variants.join(' and ')}`;
}

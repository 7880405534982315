/** Which graphics device the tests compute on. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GpuChoice } from '../../trainer/ggml/library.ts';

const PROBE = join(import.meta.dirname, 'probe.ts');
const PROBE_LIMIT_MS = 60_000;
const APT_LIMIT_MS = 600_000;
/** ggml refuses a device that computes on the processor unless its number is given. */
const SOFTWARE = { GGML_VK_VISIBLE_DEVICES: '0' };

/** A back end with a graphics device, and what the process that uses it needs in its environment. */
export interface TestedGpu {
  flavour: Exclude<GpuChoice, 'auto' | 'cpu'>;
  environment: Record<string, string>;
  /** As the driver calls it. */
  name: string;
  /** The driver computes on the processor: right, and slow. */
  software: boolean;
}

/**
 * The first real device of CUDA, Metal and Vulkan, else the software Vulkan of the distribution, which is
 * installed as root on Debian or Ubuntu. `HONE_TEST_GPU` names one of the three. Throws with what to install when
 * there is none: these tests never skip.
 */
export function findGpu(): TestedGpu {
  const wanted = process.env.HONE_TEST_GPU as TestedGpu['flavour'] | undefined;
  const flavours = wanted === undefined ? (['cuda', 'metal', 'vulkan'] as const) : [wanted];
  for (const flavour of flavours) {
    const name = deviceName(flavour, {});
    if (name !== null) return { flavour, environment: {}, name, software: false };
  }
  const software = wanted === undefined || wanted === 'vulkan' ? (softwareVulkan() ?? installed()) : null;
  if (software !== null) return software;
  throw new Error(
    'ggml finds no graphics device. Install a driver, or the software one (Debian: apt-get install mesa-vulkan-drivers).',
  );
}

function softwareVulkan(): TestedGpu | null {
  const name = deviceName('vulkan', SOFTWARE);
  return name === null ? null : { flavour: 'vulkan', environment: SOFTWARE, name, software: true };
}

function installed(): TestedGpu | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null;
  console.log('      Installing a software Vulkan driver from the distribution …');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'libvulkan1', 'mesa-vulkan-drivers'],
  ])
    execFileSync('apt-get', args, { stdio: 'pipe', timeout: APT_LIMIT_MS, env: environment });
  return softwareVulkan();
}

/** A process has one ggml, so each back end is asked in a process of its own. */
function deviceName(flavour: GpuChoice, environment: Record<string, string>): string | null {
  const { status, stdout } = spawnSync(process.execPath, [PROBE, 'name', flavour], {
    encoding: 'utf8',
    timeout: PROBE_LIMIT_MS,
    env: { ...process.env, ...environment },
  });
  return status === 0 ? stdout.trim() : null;
}

/** What the computer runs on, asked of each system in its own way. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `unknown`: the system didn't say. */
export type PowerSource = 'mains' | 'battery' | 'unknown';

/** The system that is asked; tests have others. */
interface PowerSystem {
  platform: NodeJS.Platform;
  /** Linux: folder of the kernel's power supplies. */
  supplies: string;
  /** Runs a program and resolves with what it prints. */
  run: (program: string, args: string[]) => Promise<string>;
}

const LIMIT_MS = 20_000;
/** Win32_Battery.BatteryStatus: discharging, low, critical. */
const DISCHARGING_STATUSES = [1, 4, 5];
const WINDOWS_QUERY = '(Get-CimInstance -ClassName Win32_Battery).BatteryStatus';

export const THIS_SYSTEM: PowerSystem = {
  platform: process.platform,
  supplies: '/sys/class/power_supply',
  run: async (program, args) =>
    (await promisify(execFile)(program, args, { timeout: LIMIT_MS, windowsHide: true })).stdout,
};

/** A computer without a battery runs on mains. */
export async function readPowerSource({ platform, supplies, run }: PowerSystem): Promise<PowerSource> {
  try {
    if (platform === 'linux') return linuxSource(supplies);
    if (platform === 'darwin') return macSource(await run('pmset', ['-g', 'batt']));
    if (platform === 'win32')
      return windowsSource(
        await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', WINDOWS_QUERY]),
      );
  } catch {
    // A program that is missing or hangs, a folder that may not be read.
  }
  return 'unknown';
}

/** An adapter that is plugged in decides; without one, a battery that is being emptied. */
function linuxSource(folder: string): PowerSource {
  const supplies = listed(folder).map((name) => {
    const read = (file: string) => readText(join(folder, name, file));
    return { type: read('type'), online: read('online'), status: read('status'), scope: read('scope') };
  });
  // Mice and headsets have batteries too.
  const own = supplies.filter(({ scope }) => scope !== 'Device');
  if (own.some(({ type, online }) => type !== 'Battery' && online === '1')) return 'mains';
  const batteries = own.filter(({ type }) => type === 'Battery');
  if (batteries.some(({ status }) => status === 'Discharging')) return 'battery';
  if (batteries.length === 0 || batteries.some(({ status }) => status !== 'Unknown')) return 'mains';
  return own.some(({ type, online }) => type !== 'Battery' && online === '0') ? 'battery' : 'unknown';
}

function macSource(text: string): PowerSource {
  if (/drawing from 'Battery Power'/.test(text)) return 'battery';
  return /drawing from '(AC|UPS) Power'/.test(text) ? 'mains' : 'unknown';
}

/** A number for each battery, none for a computer without one. */
function windowsSource(text: string): PowerSource {
  const statuses = text.split(/\s+/).filter((word) => word !== '');
  if (statuses.some((word) => !/^\d+$/.test(word))) return 'unknown';
  return statuses.some((word) => DISCHARGING_STATUSES.includes(Number(word))) ? 'battery' : 'mains';
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Kernels without power management have no such folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // Not every supply has every file.
    return '';
  }
}

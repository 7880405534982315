/** Format and processor of a native binary by its first bytes, for example `elf-x64`; null: it is none. */
export function binaryKind(head: Buffer): string | null {
  if (head.length < HEAD_BYTES_MIN) return null;
  if (head.readUInt32BE(0) === ELF) return named('elf', ELF_MACHINES[head.readUInt16LE(18)]);
  if (head.readUInt32LE(0) === MACH_O_64) return named('macho', MACH_O_MACHINES[head.readUInt32LE(4)]);
  if (head.readUInt32BE(0) === MACH_O_FAT) return 'macho-universal';
  if (head.toString('latin1', 0, 2) !== 'MZ') return null;
  const at = head.readUInt32LE(0x3c);
  if (at + 6 > head.length || head.toString('latin1', at, at + 4) !== 'PE\0\0') return null;
  return named('pe', PE_MACHINES[head.readUInt16LE(at + 4)]);
}

/** Enough for every format. */
export const HEAD_BYTES = 1024;
const HEAD_BYTES_MIN = 64;

const ELF = 0x7f454c46;
const ELF_MACHINES: Record<number, string> = { 0x3e: 'x64', 0xb7: 'arm64' };
const MACH_O_64 = 0xfeedfacf;
const MACH_O_FAT = 0xcafebabe;
const MACH_O_MACHINES: Record<number, string> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const PE_MACHINES: Record<number, string> = { 0x8664: 'x64', 0xaa64: 'arm64' };

function named(format: string, machine: string | undefined): string {
  return `${format}-${machine ?? 'other'}`;
}

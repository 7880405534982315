import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPowerSource, THIS_SYSTEM, type PowerSource } from '../../../trainer/power/powerSource.ts';

type Supply = Record<'type' | 'online' | 'status' | 'scope', string>;

const AC = (online: '0' | '1') => ({ type: 'Mains', online });
const BATTERY = (status: string) => ({ type: 'Battery', status });
const nothing = () => Promise.reject(new Error('Nothing is run.'));

describe('what the computer runs on', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hone-power-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function supplies(all: Partial<Supply>[]): string {
    for (const [index, supply] of all.entries()) {
      mkdirSync(join(folder, String(index)));
      for (const [file, text] of Object.entries(supply))
        writeFileSync(join(folder, String(index), file), `${text}\n`);
    }
    return folder;
  }

  const linux: [name: string, supplies: Partial<Supply>[], expected: PowerSource][] = [
    ['a desktop without anything', [], 'mains'],
    ['a laptop that is plugged in', [AC('1'), BATTERY('Charging')], 'mains'],
    ['one that is full', [AC('1'), BATTERY('Full')], 'mains'],
    ['one that is plugged in and drains all the same', [AC('1'), BATTERY('Discharging')], 'mains'],
    ['one that is unplugged', [AC('0'), BATTERY('Discharging')], 'battery'],
    ['one that charges over USB', [AC('0'), { type: 'USB', online: '1' }, BATTERY('Charging')], 'mains'],
    ['a second battery that drains', [AC('0'), BATTERY('Full'), BATTERY('Discharging')], 'battery'],
    ['a battery alone that drains', [BATTERY('Discharging')], 'battery'],
    ['a battery alone that is full', [BATTERY('Not charging')], 'mains'],
    ['a battery that does not tell, unplugged', [AC('0'), BATTERY('Unknown')], 'battery'],
    ['a battery that does not tell', [BATTERY('Unknown')], 'unknown'],
    ['a mouse with a battery', [{ ...BATTERY('Discharging'), scope: 'Device' }], 'mains'],
  ];
  for (const [name, all, expected] of linux)
    it(`Linux, ${name}: ${expected}`, async () => {
      const system = { platform: 'linux' as const, supplies: supplies(all), run: nothing };
      assert.equal(await readPowerSource(system), expected);
    });

  it('Linux without power management: mains', async () => {
    const system = { platform: 'linux' as const, supplies: join(folder, 'none'), run: nothing };
    assert.equal(await readPowerSource(system), 'mains');
  });

  const printed: [platform: NodeJS.Platform, program: string, text: string, expected: PowerSource][] = [
    ['darwin', 'pmset', "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged;", 'mains'],
    [
      'darwin',
      'pmset',
      "Now drawing from 'Battery Power'\n -InternalBattery-0\t81%; discharging; 4:12",
      'battery',
    ],
    ['darwin', 'pmset', "Now drawing from 'UPS Power'\n", 'mains'],
    ['darwin', 'pmset', 'No such thing', 'unknown'],
    ['win32', 'powershell.exe', '', 'mains'],
    ['win32', 'powershell.exe', '2\r\n', 'mains'],
    ['win32', 'powershell.exe', '1\r\n', 'battery'],
    ['win32', 'powershell.exe', '5\r\n', 'battery'],
    ['win32', 'powershell.exe', '3\r\n1\r\n', 'battery'],
    ['win32', 'powershell.exe', 'Get-CimInstance : Access denied', 'unknown'],
  ];
  for (const [platform, program, text, expected] of printed)
    it(`${platform}, ${JSON.stringify(text.slice(0, 34))}: ${expected}`, async () => {
      const asked: string[] = [];
      const run = (name: string) => {
        asked.push(name);
        return Promise.resolve(text);
      };
      assert.equal(await readPowerSource({ platform, supplies: folder, run }), expected);
      assert.deepEqual(asked, [program]);
    });

  it('is not known where the program is missing or the system another one', async () => {
    assert.equal(await readPowerSource({ platform: 'darwin', supplies: folder, run: nothing }), 'unknown');
    assert.equal(await readPowerSource({ platform: 'aix', supplies: folder, run: nothing }), 'unknown');
  });

  it('is told by this one', async () => {
    assert.ok(['mains', 'battery', 'unknown'].includes(await readPowerSource(THIS_SYSTEM)));
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import { pathsIn } from '../../extension/node/paths.ts';
import { until } from '../fixtures/until.ts';

const WORKER = join(import.meta.dirname, '..', '..', 'extension', 'node', 'storeWorker.ts');

describe("the companion's words in the extension's log", () => {
  it('are there from its first line on, with its times, and none of an earlier session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hone-log-'));
    const paths = { ...pathsIn(folder, '', {}), storeWorker: WORKER };
    writeFileSync(paths.companionLog, '{"level":30,"time":1,"msg":"of yesterday"}\n');
    const log: string[] = [];
    const backend = await Backend.open({
      paths,
      window: 'w',
      settings: () => readSettings(() => undefined).settings,
      log: (level, message) => log.push(`${level}: ${message}`),
      onChange: () => undefined,
    });
    try {
      appendFileSync(paths.companionLog, '{"level":40,"time":1,"msg":"first words"}\n');
      await until(() => log.length > 0, 'the line');
      assert.equal(log.length, 1);
      assert.match(log[0]!, /^warn: companion \d\d:\d\d:00\.001: first words$/);
    } finally {
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

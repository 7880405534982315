import assert from 'node:assert/strict';
import { COMMANDS } from '../../../extension/common/contributions.ts';
import type { Situation } from '../../../extension/common/status/statusView.ts';
import '../../fixtures/vscode/editor.ts';
import { executed, warnings } from '../../fixtures/vscode/standIn.ts';

const { RemoteWarning } = await import('../../../extension/vscode/remoteWarning.ts');

const at = (host: string | null, warning: string | null = null) =>
  ({ remote: host === null ? null : { host, warning } }) as Situation;

describe('the warning of a machine to which everything travels unencrypted', () => {
  beforeEach(() => {
    warnings.length = 0;
    executed.length = 0;
  });

  it('comes once for each machine, and leads to the settings', async () => {
    const warning = new RemoteWarning();
    for (const host of ['one', 'one', 'one', 'two', 'two']) warning.tell(at(host, `${host} is open.`));
    assert.deepEqual(warnings, ['Hone: one is open.', 'Hone: two is open.']);
    await Promise.resolve();
    assert.deepEqual(new Set(executed), new Set([COMMANDS.openSettings.id]));
  });

  it('comes again when the machine was left in between', () => {
    const warning = new RemoteWarning();
    for (const host of ['one', null, 'one']) warning.tell(at(host, host && 'open.'));
    assert.equal(warnings.length, 2);
  });

  it('does not come for this machine, nor over TLS', () => {
    const warning = new RemoteWarning();
    warning.tell(at(null));
    warning.tell(at('machine'));
    assert.deepEqual(warnings, []);
  });
});

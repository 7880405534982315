import assert from 'node:assert/strict';
import { DEFAULT_WORKSPACE } from '../../../extension/common/contracts/feedback.ts';
import { workspaceKeyOf } from '../../../extension/node/workspaceKey.ts';

describe("a workspace's key", () => {
  it('is the same every time, another for another folder, and names no path', () => {
    const key = workspaceKeyOf('file:///home/ada/secret-project');
    assert.equal(key, 'e3be55676f811eac8d408110622775ef');
    assert.notEqual(workspaceKeyOf('file:///home/ada/other'), key);
  });

  it('is the default without a folder', () => {
    assert.equal(workspaceKeyOf(undefined), DEFAULT_WORKSPACE);
  });
});

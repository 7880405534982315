import assert from 'node:assert/strict';
import { excludedFiles } from '../../../extension/common/files/excluded.ts';

describe('excluded files', () => {
  const secret = [
    '.env',
    'app/.env.local',
    'prod.env',
    '/home/me/.ssh/config',
    'C:\\Users\\me\\.aws\\credentials',
    'certs/server.pem',
    'server.KEY',
    'id_ed25519',
    'id_rsa.pub',
    '.npmrc',
    'infra/prod.tfvars',
    'config/secrets.yml',
    '.ENV',
  ];
  const open = [
    'src/environment.ts',
    'src/keys.ts',
    'env/index.ts',
    'README.md',
    'src/credentials.ts',
    'a.envelope',
  ];

  it('never leave the editor, whatever the settings', () => {
    for (const own of [[], ['*.ts'], ['!**/.env']]) {
      for (const path of secret) assert.equal(excludedFiles(own)(path), true, path);
    }
  });

  it('are no ordinary sources', () => {
    for (const path of open) assert.equal(excludedFiles([])(path), false, path);
  });

  it('grow by own patterns, of any depth', () => {
    const excluded = excludedFiles(['*.gen.ts', 'private/', '/vendor/*.js']);
    assert.equal(excluded('src/a.gen.ts'), true);
    assert.equal(excluded('src/private/deep/a.ts'), true);
    assert.equal(excluded('vendor/a.js'), true);
    assert.equal(excluded('src/a.ts'), false);
  });
});

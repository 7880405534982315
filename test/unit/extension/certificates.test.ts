import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATE_FILE } from '../../fixtures/tlsProxy.ts';

describe('trusted certificates', () => {
  it('are those of the operating system too', function () {
    if (process.platform !== 'linux') this.skip();
    const certificate = readFileSync(CERTIFICATE_FILE, 'utf8').trim();
    const file = join(import.meta.dirname, '../../../extension/node/certificates.ts');
    const program = `import { trustedCertificates } from ${JSON.stringify(file)};
      console.log(JSON.stringify(trustedCertificates()));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, SSL_CERT_FILE: CERTIFICATE_FILE },
      maxBuffer: 64 * 1024 * 1024,
    });
    const trusted = (JSON.parse(printed.toString()) as string[]).map((text) => text.trim());
    assert.ok(trusted.includes(certificate));
    assert.ok(trusted.length > 100, 'and those that Node comes with');
  });
});

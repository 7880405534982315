import assert from 'node:assert/strict';
import {
  checkHostAndOrigin,
  checkToken,
  checkTokenPolicy,
  exposureOf,
  newToken,
  NO_TOKEN,
} from '../../../trainer/server/shared/access.ts';

describe('access to the services', () => {
  it('needs the token', () => {
    const token = newToken();
    checkToken({ authorization: `Bearer ${token}` }, token);
    checkToken({}, NO_TOKEN);
    for (const authorization of [undefined, '', token, 'Bearer ', 'Bearer wrong', `Basic ${token}`]) {
      assert.throws(() => checkToken(authorization === undefined ? {} : { authorization }, token), {
        code: 'unauthorized',
      });
    }
  });

  it('may do without a token on a loopback address only', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) checkTokenPolicy(NO_TOKEN, host);
    for (const host of ['0.0.0.0', '127.evil.example'])
      assert.throws(() => checkTokenPolicy(NO_TOKEN, host), { code: 'token_required' });
    checkTokenPolicy('a-token', '0.0.0.0');
  });

  it('says what an address means that other machines reach', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) assert.equal(exposureOf(host), null);
    for (const host of ['0.0.0.0', '::', '192.168.1.5'])
      assert.match(exposureOf(host)!, new RegExp(`^Listening on ${host}: .*token.*TLS`));
  });

  it('refuses a token that no request could carry', () => {
    for (const token of ['', ' ', 'a-token\n', 'a\nb', 'schlüssel', '鍵'])
      assert.throws(() => checkTokenPolicy(token, '127.0.0.1'), { code: 'token_required' });
    for (const token of ['x', 'two words', '~!"#']) checkTokenPolicy(token, '127.0.0.1');
  });

  it('is for requests to this machine', () => {
    for (const host of ['127.0.0.1:8081', 'localhost:8081', 'localhost', '[::1]:8081', 'LOCALHOST:1']) {
      checkHostAndOrigin({ host }, '127.0.0.1');
    }
    for (const host of [
      'evil.example',
      'evil.example:8081',
      '192.168.1.5:8081',
      '',
      'localhost.evil.example',
      '127.evil.example:8081',
      '127.0.0.1.evil.example:8081',
    ]) {
      assert.throws(() => checkHostAndOrigin({ host }, '127.0.0.1'), { code: 'foreign_host' });
    }
  });

  it('on an address of the network is by number, never by a foreign name', () => {
    checkHostAndOrigin({ host: '192.168.1.5:8081' }, '0.0.0.0');
    checkHostAndOrigin({ host: 'machine.home:8081' }, 'Machine.home');
    assert.throws(() => checkHostAndOrigin({ host: 'evil.example:8081' }, '0.0.0.0'), {
      code: 'foreign_host',
    });
  });

  it('is not for web pages', () => {
    const host = '127.0.0.1:8081';
    checkHostAndOrigin({ host, origin: 'http://127.0.0.1:8081' }, '127.0.0.1');
    for (const origin of ['https://evil.example', 'http://localhost:3000', 'null', 'file://']) {
      assert.throws(() => checkHostAndOrigin({ host, origin }, '127.0.0.1'), { code: 'foreign_origin' });
    }
  });
});

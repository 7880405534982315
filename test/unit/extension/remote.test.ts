import assert from 'node:assert/strict';
import { explainFailure, remoteCompanionOf } from '../../../extension/common/remote.ts';

const settings = (companionUrl: string, companionFeedbackUrl = '', companionHeaders = {}) => ({
  companionUrl,
  companionFeedbackUrl,
  companionHeaders,
  companionCertificateFile: '',
});

describe('a companion on another machine', () => {
  it('is none, where no address is set', () => {
    assert.equal(remoteCompanionOf(settings('', 'https://machine:8444')), null);
  });

  const warned: [url: string, feedback: string, unencrypted: string | null][] = [
    ['https://machine:8443', '', null],
    ['https://machine:8443', 'https://machine:8444', null],
    ['http://machine:8081', '', 'machine:8081'],
    ['http://192.168.1.20:8081', '', '192.168.1.20:8081'],
    ['https://machine:8443', 'http://machine:8082', 'machine:8082'],
    ['http://[fe80::1]:8081', '', '[fe80::1]:8081'],
    ['http://localhost.example.com', '', 'localhost.example.com'],
    ['http://127.0.0.1.example.com', '', '127.0.0.1.example.com'],
    ['http://0.0.0.0:8081', '', '0.0.0.0:8081'],
    ['http://128.0.0.1:8081', '', '128.0.0.1:8081'],
    ['http://localhost:8081', '', null],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8082', null],
    ['http://127.1:8081', '', null],
    ['http://[::1]:8081', '', null],
  ];
  for (const [url, feedback, unencrypted] of warned)
    it(`${unencrypted === null ? 'is' : 'is warned of as not'} private on the way: ${url} ${feedback}`, () => {
      const { warning } = remoteCompanionOf(settings(url, feedback))!;
      if (unencrypted === null) return assert.equal(warning, null);
      assert.ok(warning!.startsWith(`What is sent to ${unencrypted},`), warning!);
      assert.match(warning!, /unencrypted.*https/);
    });

  it('has addresses without a slash at their end, and one for both services where one is set', () => {
    const { inference, feedback, host } = remoteCompanionOf(settings('https://machine:8443/hone/'))!;
    assert.deepEqual([inference, feedback, host], [inference, 'https://machine:8443/hone', 'machine:8443']);
    assert.equal(inference, feedback);
    assert.equal(remoteCompanionOf(settings('https://a', 'https://b/'))!.feedback, 'https://b');
  });

  const refused: [name: string, wrong: Parameters<typeof settings>, said: RegExp][] = [
    ['no address', ['machine'], /hone\.companion\.url is no address: machine\./],
    ['a port without a scheme', ['machine:8081'], /companion\.url is no address/],
    ['another scheme', ['ftp://machine'], /companion\.url is no address/],
    ['a password', ['https://me:secret@machine'], /companion\.url holds a name or a password/],
    ['a query', ['https://machine?token=1'], /companion\.url ends in a query/],
    ['a wrong feedback address', ['https://machine', 'nowhere'], /companion\.feedbackUrl is no address/],
    ['a header that is none', ['https://machine', '', { 'a b': 'c' }], /can't have "a b"/],
    ["the client's own header", ['https://machine', '', { Host: 'c' }], /can't have "Host"/],
    ['a line end in a value', ['https://machine', '', { A: 'b\nC: d' }], /the value of "A"/],
  ];
  for (const [name, wrong, said] of refused)
    it(`is refused: ${name}`, () => {
      assert.throws(() => remoteCompanionOf(settings(...wrong)), said);
    });
});

describe('what is said when another machine is not reached', () => {
  const remote = remoteCompanionOf(settings('https://machine:8443', 'https://machine:8444'))!;
  const none = { status: 0, code: 'unreachable', message: 'GET https://machine:8443/v1/models: why' };
  const cases: [name: string, failure: object, said: RegExp][] = [
    ['a wrong token', { status: 401, code: 'unauthorized' }, /refuses the token.*companion\.headers/],
    ['a foreign host', { status: 403, code: 'foreign_host' }, /refuses the request: .*why/],
    ['no such page', { status: 404, code: 'http' }, /is not Hone's service.*companion\.feedbackUrl.*8444/],
    ['another server', { status: 200, code: 'unexpected_answer' }, /is not Hone's service/],
    ['a model that is being loaded', { status: 503, code: 'loading' }, /^machine:8443: .*why/],
    ['nobody listens', { causeCode: 'ECONNREFUSED' }, /Nothing listens at machine:8443.*hone serve.*--host/],
    ['no such name', { causeCode: 'ENOTFOUND' }, /is not known here/],
    ['silence', { causeCode: 'UND_ERR_CONNECT_TIMEOUT' }, /does not answer.*firewall/],
    ['a certificate of its own', { causeCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /certificateFile/],
    ['an old certificate', { causeCode: 'CERT_HAS_EXPIRED' }, /expired/],
    ["another machine's certificate", { causeCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }, /for another name/],
    ['no TLS', { causeCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }, /does not speak https/],
    ['something else', { causeCode: 'EPIPE' }, /can't be reached: .*why/],
  ];
  for (const [name, failure, said] of cases)
    it(name, () => {
      const text = explainFailure({ ...none, causeCode: undefined, ...failure }, remote);
      assert.match(text, said);
      assert.match(text, /machine:8443/);
    });
});

import { describe, expect, it } from '@jest/globals';

import { TlsContext } from './tls-context.ts';

const failed = (code: string) => Object.assign(new Error('what OpenSSL says'), { code });

describe('TlsContext', () => {
  it('by default, trusts the authorities of Node.js and presents no certificate', () => {
    expect(new TlsContext('AMQP').material).toEqual({});
  });

  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', /unknown authority.* AMQP_TLS_CA /],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /unknown authority/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /unknown authority/],
    ['UNABLE_TO_GET_ISSUER_CERT', /unknown authority/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /unknown authority/],
    ['CERT_UNTRUSTED', /unknown authority/],
    ['INVALID_CA', /unknown authority/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another host/],
    ['CERT_HAS_EXPIRED', /renew it/],
    ['CERT_NOT_YET_VALID', /renew it/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /AMQP_TLS_CERT and AMQP_TLS_KEY/],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', /AMQP_TLS_CERT and AMQP_TLS_KEY/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/],
  ])('describes %s with advice', (code, advice) => {
    const text = new TlsContext('AMQP').describe(failed(code));
    expect(text).toMatch(advice);
    expect(text).toContain('(what OpenSSL says)');
  });

  it("describes OpenSSL's reason without memory address and source line", () => {
    const error = Object.assign(failed('ERR_SSL_WRONG_VERSION_NUMBER'), { reason: 'wrong version number' });
    expect(new TlsContext('AMQP').describe(error)).toMatch(/ \(wrong version number\)$/);
  });

  it.each([[failed('ECONNREFUSED')], [new Error('what OpenSSL says')], ['what OpenSSL says']])(
    'returns the message of %s unchanged',
    (error) => expect(new TlsContext('AMQP').describe(error)).toBe('what OpenSSL says'),
  );
});

import { createPrivateKey } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { Authority, type Identity, TOO_SHORT } from './certificates.fixture.ts';
import { readTls } from './read-tls.ts';
import { faultsOf as thrownBy, reading } from './settings.fixture.ts';

const HOUR_MS = 3_600_000;
const ADDRESSES = ['amqp://127.0.0.1', 'AMQPS://broker.example.com'];

let authority: Authority;
let identity: Identity;
let files: Record<string, string>;

beforeAll(async () => {
  authority = await Authority.create();
  identity = await authority.issue();
  const expired = await authority.issue(['localhost'], -HOUR_MS);
  const short = await authority.issue(['localhost'], HOUR_MS, TOO_SHORT);
  files = {
    ca: authority.ca,
    cert: identity.cert,
    chain: `${identity.cert}\n${authority.ca}\n`,
    key: identity.key,
    expired: expired.cert,
    'expired and current': `${expired.cert}\n${authority.ca}`,
    'chain with an expired one': `${identity.cert}\n${expired.cert}`,
    'protected key': createPrivateKey(identity.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'CANARY',
    }) as string,
    short: short.cert,
    'short key': short.key,
    text: 'CANARY',
    broken: '-----BEGIN CERTIFICATE-----\nCANARY\n-----END CERTIFICATE-----\n',
  };
});

type Given = Readonly<Partial<Record<'CA' | 'CERT' | 'KEY', string>>>;

function read(given: Given, addresses = ADDRESSES) {
  const variables = Object.entries(given).map(([name, file]) => [`AMQP_TLS_${name}`, file]);
  return readTls('AMQP', {
    settings: Object.fromEntries(variables),
    addresses,
    nowMs: Date.now(),
    readText: reading(files),
  });
}

const faultsOf = (given: Given, addresses = ADDRESSES) => thrownBy(() => read(given, addresses));

describe('readTls', () => {
  it('reads the given authority, and the given client certificate with its key', () => {
    expect(read({}, [])).toEqual({});
    expect(read({ CA: 'ca' })).toEqual({ ca: authority.ca });
    expect(read({ CERT: 'chain', KEY: 'key' })).toEqual({ cert: files['chain'], key: identity.key });
    // The file contains one expired and one current authority.
    expect(read({ CA: 'expired and current' })).toEqual({ ca: files['expired and current'] });
  });

  it.each<[Given, string]>([
    [{ CA: 'missing' }, 'AMQP_TLS_CA: the file cannot be read (ENOENT)'],
    [{ CA: 'text' }, 'AMQP_TLS_CA: the file contains no PEM certificate'],
    [{ CA: 'broken' }, 'AMQP_TLS_CA: the file contains an invalid certificate'],
    [{ CA: 'expired' }, 'AMQP_TLS_CA: the certificate has expired or is not valid yet'],
    [
      { CERT: 'chain with an expired one', KEY: 'key' },
      'AMQP_TLS_CERT: the certificate has expired or is not valid yet',
    ],
    [{ CERT: 'cert' }, 'AMQP_TLS_CERT: has no key; set AMQP_TLS_KEY to its file'],
    [{ KEY: 'key' }, 'AMQP_TLS_KEY: has no certificate; set AMQP_TLS_CERT to its file'],
    [{ CERT: 'cert', KEY: 'text' }, 'AMQP_TLS_KEY: the file contains no PEM private key'],
    [{ CERT: 'cert', KEY: 'protected key' }, 'AMQP_TLS_KEY: the key has a passphrase; use a key without one'],
    [{ CERT: 'cert', KEY: 'short key' }, 'AMQP_TLS_KEY: does not belong to the certificate of AMQP_TLS_CERT'],
    [{ CERT: 'short', KEY: 'short key' }, 'AMQP_TLS_CERT: cannot be used (ERR_SSL_EE_KEY_TOO_SMALL)'],
  ])('rejects %j: %s', (given, fault) => expect(faultsOf(given)).toEqual([fault]));

  it('reports all faults at once, without quoting a file', () => {
    const faults = faultsOf({ CA: 'text', CERT: 'broken', KEY: 'protected key' });
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('CANARY');
  });

  it('rejects files if no address is encrypted', () => {
    expect(faultsOf({ CERT: 'cert', KEY: 'key' }, ['amqp://127.0.0.1'])).toEqual([
      'AMQP_TLS_CERT: has no effect: AMQP_URL is not amqps',
      'AMQP_TLS_KEY: has no effect: AMQP_URL is not amqps',
    ]);
    expect(faultsOf({ CA: 'ca' }, [])).toEqual(['AMQP_TLS_CA: has no effect: AMQP_URL is not amqps']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CANARY, refusalOf, refusing } from './refusal-of.ts';

describe('TLS files that cannot be used', () => {
  const folder = temporaryFolder();
  let authority: Authority;
  let client: Identity;
  let other: Identity;
  let expired: Identity;

  beforeAll(async () => {
    authority = await Authority.create();
    [client, other, expired] = await Promise.all([
      authority.issue(),
      authority.issue(),
      authority.issue(['localhost'], -60_000),
    ]);
  });
  afterAll(() => folder[Symbol.dispose]());

  it('are refused at start, those of every server at once, by name and reason', async () => {
    const refusal = await refusalOf({
      AMQP_URL: `amqps://u:${CANARY}@127.0.0.1:1`,
      AMQP_TLS_CA: `${folder.path}/${CANARY}`,
      AMQP_TLS_CERT: folder.write('expired.pem', expired.cert),
      AMQP_TLS_KEY: folder.write('expired-key.pem', expired.key),
      PLATFORM_TLS_CERT: folder.write('cert.pem', client.cert),
      PLATFORM_TLS_KEY: folder.write('other-key.pem', other.key),
      REDIS_URL: 'rediss://127.0.0.1:1',
      REDIS_TLS_CERT: folder.write('cert-alone.pem', client.cert),
    });
    expect(refusal).toMatchObject(
      refusing('AMQP_TLS_CA', 'AMQP_TLS_CERT', 'PLATFORM_TLS_KEY', 'REDIS_TLS_CERT'),
    );
    expect(refusal.lines).toEqual([
      'AMQP_TLS_CA: its file cannot be read (ENOENT)',
      'AMQP_TLS_CERT: its certificate has expired, or is not valid yet',
      'PLATFORM_TLS_KEY: does not belong to the certificate of PLATFORM_TLS_CERT',
      'REDIS_TLS_CERT: has no key; name its file in REDIS_TLS_KEY',
    ]);
  });

  it('are refused if what they are for is not encrypted', async () => {
    const refusal = await refusalOf({ AMQP_TLS_CA: folder.write('ca.pem', authority.ca) });
    expect(refusal.lines).toEqual(['AMQP_TLS_CA: is of no use: AMQP_URL is not amqps']);
  });
});

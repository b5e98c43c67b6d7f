import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CANARY, refusalOf, refusing } from './refusal-of.ts';

describe('operators file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worker-operators-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  let files = 0;

  function fileWith(content: unknown): string {
    files += 1;
    const path = join(folder, `${CANARY}-${files}`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  /** One of each kind; the reader's own spec covers all of them. */
  const FAULTS = {
    'is not there': join(folder, CANARY),
    'is not JSON': fileWith(`{"acme": {"clientId": "c", "secretKey": "${CANARY}"`),
    'has a URL with a password': fileWith({
      acme: { clientId: 'c', baseUrl: `https://u:${CANARY}@api.example` },
    }),
    'names a secret file that is not there': fileWith({
      acme: { clientId: 'c', secretKeyFile: join(folder, CANARY, 'x') },
    }),
  };

  describe('the file of operators', () => {
    const reasons = new Set<string>();

    it.each(Object.entries(FAULTS))('that %s is refused, without quoting it', async (_, file) => {
      const refusal = await refusalOf({ OPERATORS_FILE: file });
      expect(refusal).toMatchObject(refusing('OPERATORS_FILE'));
      reasons.add(refusal.lines.join());
    });

    it('is refused for a reason that distinguishes the faults', () => {
      expect(reasons.size).toBe(Object.keys(FAULTS).length);
    });

    it('defines operators with their own credentials', async () => {
      await using service = await ServiceUnderTest.start({ behaviour: healthy() });
      await service.worker({
        OPERATORS_FILE: fileWith({
          acme: { clientId: 'acme-1', secretKeyFile: fileWith('acme-secret\n') },
          keyless: { clientId: 'keyless-1' },
        }),
      });
      const as = (operator: string) =>
        service.caller.send('session.create', { userId: 'p-1' }, { headers: { operator } });
      const [[own], [none], [unknown]] = await Promise.all([as('acme'), as('keyless'), as('nobody')]);
      expect(own?.type).toBe('session.created');
      expect(none?.body).toMatchObject({ code: 'SECRET_KEY_MISSING', category: 'misconfigured' });
      expect(unknown?.body).toMatchObject({ code: 'UNKNOWN_OPERATOR', category: 'invalid' });
      expect(
        service.platform.requests.map(({ url, headers }) => [
          url.searchParams.get('clientId'),
          headers['sign'],
        ]),
      ).toEqual([['acme-1', hash('sha256', 'p-1acme-secret')]]);
    });
  });
});

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

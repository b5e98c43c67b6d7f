import { hash } from 'node:crypto';

import { afterAll, describe, expect, it } from '@jest/globals';

import { Authority } from '../../../libs/settings/src/certificates.fixture.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CANARY, EXIT_CONFIG, refusalOf, refusing } from './refusal-of.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe('the file of operators', () => {
  it('is refused without being quoted', async () => {
    const secret = JSON.stringify({ acme: { clientId: 'c', secretKey: CANARY, unknown: 1 } });
    const refusal = await refusalOf({ OPERATORS_FILE: folder.write('wrong.json', secret) });
    expect(refusal).toMatchObject(refusing('OPERATORS_FILE'));
  });

  it('defines operators with their own credentials', async () => {
    await using service = await ServiceUnderTest.start({ behaviour: healthy() });
    const operators = {
      acme: { clientId: 'acme-1', secretKeyFile: folder.write('acme.key', 'acme-secret\n') },
      keyless: { clientId: 'keyless-1' },
    };
    await service.worker({ OPERATORS_FILE: folder.write('operators.json', JSON.stringify(operators)) });
    const as = (operator: string) =>
      service.caller.send('session.create', { userId: 'p-1' }, { headers: { operator } });
    const [[own], [none], [unknown]] = await Promise.all([as('acme'), as('keyless'), as('nobody')]);
    expect(own?.type).toBe('session.created');
    expect(none?.body).toMatchObject({ code: 'SECRET_KEY_MISSING', category: 'misconfigured' });
    expect(unknown?.body).toMatchObject({ code: 'UNKNOWN_OPERATOR', category: 'invalid' });
    const [request, ...others] = service.platform.requests;
    expect(others).toEqual([]);
    expect(request?.url.searchParams.get('clientId')).toBe('acme-1');
    expect(request?.headers['sign']).toBe(hash('sha256', 'p-1acme-secret'));
  });
});

describe('TLS files that cannot be used', () => {
  it('are refused at start, those of every server at once, by name and reason', async () => {
    const authority = await Authority.create();
    const [client, other] = [await authority.issue(), await authority.issue()];
    const expired = await authority.issue(['localhost'], -60_000);
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
    expect(refusal).toMatchObject({ code: EXIT_CONFIG, showsCanary: false });
    expect(refusal.lines).toEqual([
      'AMQP_TLS_CA: its file cannot be read (ENOENT)',
      'AMQP_TLS_CERT: its certificate has expired, or is not valid yet',
      'PLATFORM_TLS_KEY: does not belong to the certificate of PLATFORM_TLS_CERT',
      'REDIS_TLS_CERT: has no key; name its file in REDIS_TLS_KEY',
    ]);
  });
});

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { TlsContext, type TlsMaterial } from '#tls';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { TlsFront } from '../../support/tls-front.ts';
import { buildClient, callWithin, CALLS, failureOf, OPERATIONS, startPlatform } from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers, type LocalPlatform } from './local-platform.ts';

let authority: Authority;
let server: Identity;
let client: Identity;
let platform: LocalPlatform;
let front: TlsFront;

beforeAll(async () => {
  authority = await Authority.create();
  [server, client] = await Promise.all([authority.issue(['localhost']), authority.issue()]);
});
beforeEach(async () => {
  platform = await startPlatform(answers(200, SESSION));
});
afterEach(() => front[Symbol.asyncDispose]());

/** A platform that demands a client certificate of the authority. */
const demanding = () => ({ ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: true });

function clientWith(material: TlsMaterial, origin = front.origin) {
  const tls = new TlsContext('PLATFORM', material);
  return { tls, ...buildClient(origin, { transport: { tls } }) };
}

const createSession = ({ client: with_ }: ReturnType<typeof clientWith>) =>
  CALLS['session.create'](with_, callWithin());

describe('calls to a platform with a private authority', () => {
  it('succeed with its file, and name PLATFORM_TLS_CA without it', async () => {
    front = await TlsFront.start(platform.origin, server);
    await expect(createSession(clientWith({ ca: authority.ca }))).resolves.toBeDefined();

    const stranger = clientWith({});
    const error = await failureOf(createSession(stranger));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'certificate' } });
    expect(error.message).toContain('PLATFORM_TLS_CA');
    expect(stranger.observer.results).toEqual(['certificate', 'certificate', 'certificate']);
    expect(platform.received).toHaveLength(1);
  });

  it('trust no other authority, and none that Node.js trusts, once there is a file', async () => {
    front = await TlsFront.start(platform.origin, server);
    const other = await Authority.create();
    const error = await failureOf(createSession(clientWith({ ca: other.ca })));
    expect(error.details).toEqual({ reason: 'certificate' });
  });

  it('do not reach a host of another name', async () => {
    front = await TlsFront.start(platform.origin, server);
    const other = clientWith({ ca: authority.ca }, `https://127.0.0.1:${front.port}`);
    expect(await failureOf(createSession(other))).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'certificate' },
    });
    expect(platform.received).toEqual([]);
  });
});

describe('calls to a platform that demands a client certificate', () => {
  beforeEach(async () => {
    front = await TlsFront.start(platform.origin, demanding());
  });

  it('succeed with one of its authority', async () => {
    await expect(createSession(clientWith({ ca: authority.ca, ...client }))).resolves.toBeDefined();
    expect(front.clients).toEqual(['identity of a test']);
  });

  it.each(OPERATIONS)('are known not to have been carried out without one: %s', async (operation) => {
    const { client: bare, observer } = clientWith({ ca: authority.ca });
    const error = await failureOf(CALLS[operation](bare, callWithin()));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'client-certificate' } });
    expect(error.message).toContain('PLATFORM_TLS_CERT');
    expect(observer.results).toEqual(Array<string>(3).fill('client-certificate'));
    expect(platform.received).toEqual([]);
  });

  it('use a certificate that was replaced for new connections, and let those that stand go on', async () => {
    const changing = clientWith({ ca: authority.ca });
    expect((await failureOf(createSession(changing))).details).toEqual({ reason: 'client-certificate' });
    changing.tls.replace({ ca: authority.ca, ...client });
    await createSession(changing);
    changing.tls.replace({ ca: authority.ca });
    // Over the connection that stands.
    await createSession(changing);
    expect(front.clients).toEqual(['identity of a test']);
  });
});

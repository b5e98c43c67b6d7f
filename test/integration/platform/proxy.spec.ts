import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { DnsCache } from '#platform';
import { TlsContext, type TlsMaterial } from '#tls';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { HttpProxy } from '../../support/http-proxy.ts';
import { startSlowListener } from '../../support/slow-listener.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { silent } from '../../support/platform-answers.ts';
import { until } from '../../support/until.ts';
import {
  buildClient,
  CALLS,
  callWithin,
  type ClientOptions,
  codeOf,
  createSession,
  failureOf,
  OPERATIONS,
  platform,
} from './client.ts';
import { DOCUMENTS, SESSION } from './documents.ts';
import { answers, targetOf } from './local-platform.ts';

let authority: Authority;
let other: Authority;
let server: Identity;
let identity: Identity;
let front: TcpProxy;

beforeAll(async () => {
  [authority, other] = await Promise.all([Authority.create(), Authority.create()]);
  [server, identity] = await Promise.all([authority.issue(['localhost']), authority.issue()]);
});

beforeEach(async () => {
  platform.always(answers(200, SESSION));
  front = await TcpProxy.start(platform.origin, server);
});

afterEach(() => front[Symbol.asyncDispose]());

function clientWith(material: () => TlsMaterial, origin = front.origin) {
  return buildClient({ origin, transport: { tls: new TlsContext('PLATFORM', material) } });
}

describe('proxy', () => {
  let proxy: HttpProxy;

  beforeEach(async () => void (proxy = await HttpProxy.start()));

  afterEach(() => proxy[Symbol.asyncDispose]());

  /** @param user the user information of a URL: `name:password@`, percent-encoded */
  function clientThrough(origin: string, limits: ClientOptions['limits'] = {}, user = '') {
    const proxyUrl = proxy.origin.replace('//', `//${user}`);
    const tls = new TlsContext('PLATFORM', () => ({ ca: authority.ca }));
    return buildClient({ origin, limits, transport: { tls, proxyUrl } });
  }

  describe.each<[string, () => string, () => unknown]>([
    ['an encrypted platform', () => front.origin, () => `localhost:${front.port}`],
    ['a platform in cleartext', () => platform.origin, () => expect.stringContaining(`${platform.origin}/`)],
  ])('calls through a proxy to %s', (_, origin, target) => {
    it.each(OPERATIONS)('arrive unchanged, with credentials sent to the proxy: %s', async (operation) => {
      platform.always(answers(200, DOCUMENTS[operation]));
      await CALLS[operation](clientThrough(origin(), {}, 'caf%C3%A9:p%40ss%3A@').client);
      expect(proxy.targets).toEqual([target()]);
      expect(proxy.credentials).toEqual([`Basic ${Buffer.from('café:p@ss:').toString('base64')}`]);
      await CALLS[operation](buildClient().client);
      const [passed, direct] = platform.requests;
      const lineOf = (request = passed!) => [request.method, targetOf(request), request.body];
      expect(lineOf()).toEqual(lineOf(direct));
      expect(passed!.headers).toEqual({ ...direct!.headers, host: new URL(origin()).host });
    });

    it.each<[string, object, () => unknown]>([
      ['refuses to connect', { reason: 'proxy-refused', proxyStatus: 407 }, () => (proxy.behaviour = 407)],
      ['is unreachable', { reason: 'proxy-unreachable' }, () => proxy[Symbol.asyncDispose]()],
    ])(
      'fail with an error that names the proxy, without being sent, if it %s',
      async (_what, details, happens) => {
        const { client, observer } = clientThrough(origin());
        await happens();
        const error = await failureOf(createSession(client));
        expect([error.code, error.details]).toEqual(['PLATFORM_UNAVAILABLE', details]);
        expect(error.message).toContain('PLATFORM_PROXY_URL');
        expect(observer.results).toHaveLength(3);
        expect(platform.requests).toEqual([]);
      },
    );

    it('end at their deadline if the platform does not answer, and leave no connection open', async () => {
      platform.always(silent);
      const error = await failureOf(createSession(clientThrough(origin()).client, callWithin(500)));
      expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
      await until('the proxy has no connection', () => proxy.connections === 0);
    });
  });

  it.each<[string, ClientOptions['limits'], number | undefined, object]>([
    [
      'fails at the attempt timeout and names the proxy',
      { attemptTimeoutMs: 150, maxAttempts: 2 },
      undefined,
      {
        code: 'PLATFORM_UNAVAILABLE',
        details: { reason: 'proxy-timeout' },
        message: expect.stringContaining('PLATFORM_PROXY_URL'),
      },
    ],
    ['fails at the deadline of the command', {}, 300, { code: 'COMMAND_EXPIRED', details: { called: true } }],
  ])('a tunnel that the proxy never opens %s', async (_, limits, withinMs, expected) => {
    proxy.behaviour = 'hangs';
    const { client } = clientThrough(front.origin, limits);
    expect(await failureOf(createSession(client, callWithin(withinMs)))).toMatchObject(expected);
    await until('the proxy has no connection', () => proxy.connections === 0);
  });

  it('is reached if connecting takes a second and its other address is unreachable', async () => {
    await using slow = await startSlowListener(Number(new URL(proxy.origin).port));
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const dns = new DnsCache((_name, _options, answer) => void setImmediate(answer, null, addresses));
    const tls = new TlsContext('PLATFORM', () => ({ ca: authority.ca }));
    const transport = { tls, dns, proxyUrl: `http://proxy.example:${slow.port}` };
    const { client } = buildClient({ origin: front.origin, limits: { maxAttempts: 1 }, transport });
    await slow.slowDown();
    expect(await codeOf(createSession(client))).toBe('OK');
    expect(proxy.targets).toEqual([`localhost:${front.port}`]);
  });

  it('requests no tunnel from an HTTPS proxy with an untrusted certificate', async () => {
    await using encrypted = await TcpProxy.start(proxy.origin, server);
    // The platform's authority does not apply to the proxy.
    const tls = new TlsContext('PLATFORM', () => ({ ca: authority.ca }));
    const transport = { tls, proxyUrl: encrypted.origin };
    const { client } = buildClient({ origin: front.origin, transport });
    expect((await failureOf(createSession(client))).details).toEqual({ reason: 'proxy-unreachable' });
    expect(proxy.targets).toEqual([]);
  });
});

it.each<[string, () => TlsMaterial, () => string]>([
  ['without its CA file', () => ({}), () => front.origin],
  ['with another CA', () => ({ ca: other.ca }), () => front.origin],
  [
    'under a host name that its certificate does not contain',
    () => ({ ca: authority.ca }),
    () => `https://127.0.0.1:${front.port}`,
  ],
])('a platform with a private authority is not called %s', async (_, material, origin) => {
  const { client, observer } = clientWith(material, origin());
  const error = await failureOf(createSession(client));
  expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'certificate' } });
  expect(error.message).toContain('PLATFORM_TLS_CA');
  expect(observer.results).toEqual(['certificate', 'certificate', 'certificate']);
  expect(platform.requests).toEqual([]);
});

describe('calls to a platform that requires a client certificate', () => {
  beforeEach(async () => {
    await front[Symbol.asyncDispose]();
    const demanding = { ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: true };
    front = await TcpProxy.start(platform.origin, demanding);
  });

  it.each(OPERATIONS)('fail as not sent without one: %s', async (operation) => {
    const { client, observer } = clientWith(() => ({ ca: authority.ca }));
    const error = await failureOf(CALLS[operation](client));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'client-certificate' } });
    expect(error.message).toContain('PLATFORM_TLS_CERT');
    expect(observer.results).toEqual(Array<string>(3).fill('client-certificate'));
    expect(platform.requests).toEqual([]);
  });

  it('use a replaced certificate for new connections and keep open ones', async () => {
    let material: TlsMaterial = { ca: authority.ca };
    const { client } = clientWith(() => material);
    expect((await failureOf(createSession(client))).details).toEqual({ reason: 'client-certificate' });
    material = { ca: authority.ca, ...identity };
    await createSession(client);
    material = { ca: authority.ca };
    // Uses the open connection.
    await createSession(client);
    expect(front.clients).toEqual(['identity of a test']);
  });
});

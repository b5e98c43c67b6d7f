import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { TlsContext, type TlsMaterial } from '#tls';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { HttpProxy } from '../../support/http-proxy.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import {
  buildClient,
  CALLS,
  callWithin,
  type ClientOptions,
  createSession,
  failureOf,
  OPERATIONS,
  platform,
} from './client.fixture.ts';
import { DOCUMENTS, SESSION } from './documents.ts';
import { answers, neverAnswers, targetOf } from './local-platform.ts';

describe('proxy', () => {
  let authority: Authority;
  let server: Identity;
  let front: TcpProxy;
  let proxy: HttpProxy;

  beforeAll(async () => {
    authority = await Authority.create();
    server = await authority.issue();
  });

  beforeEach(async () => {
    platform.always(answers(200, SESSION));
    front = await TcpProxy.start(platform.origin, server);
    proxy = await HttpProxy.start();
  });

  afterEach(async () => {
    await proxy[Symbol.asyncDispose]();
    await front[Symbol.asyncDispose]();
  });

  /** @param user as a URL holds it: `name:password@`, percent-encoded */
  function clientThrough(origin: string, options: ClientOptions = {}, user = '') {
    const proxyUrl = proxy.url.replace('//', `//${user}`);
    const tls = new TlsContext('PLATFORM', { ca: authority.ca });
    return buildClient({ origin, transport: { tls, proxyUrl }, ...options });
  }

  const create = ({ client }: ReturnType<typeof clientThrough>, call = callWithin()) =>
    createSession(client, call);

  describe.each<[string, () => string, () => unknown]>([
    ['an encrypted platform', () => front.origin, () => `localhost:${front.port}`],
    ['a platform in cleartext', () => platform.origin, () => expect.stringContaining(`${platform.origin}/`)],
  ])('calls through a proxy to %s', (_, origin, target) => {
    it.each(OPERATIONS)('arrive as they would without it: %s', async (operation) => {
      platform.always(answers(200, DOCUMENTS[operation]));
      await CALLS[operation](clientThrough(origin()).client);
      expect(proxy.targets).toEqual([target()]);
      await CALLS[operation](buildClient().client);
      const [passed, direct] = platform.requests;
      expect([passed!.method, targetOf(passed!), passed!.body]).toEqual([
        direct!.method,
        targetOf(direct!),
        direct!.body,
      ]);
      expect(passed!.headers).toEqual({ ...direct!.headers, host: new URL(origin()).host });
    });

    it('say who asks to the proxy alone', async () => {
      await create(clientThrough(origin(), {}, 'caf%C3%A9:p%40ss%3A@'));
      const expected = `Basic ${Buffer.from('café:p@ss:').toString('base64')}`;
      expect(proxy.credentials).toEqual([expected]);
      expect(platform.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
    });

    it('name a proxy that refuses them, and were not sent', async () => {
      proxy.behaviour = 407;
      const client = clientThrough(origin());
      const error = await failureOf(create(client));
      expect(error).toMatchObject({
        code: 'PLATFORM_UNAVAILABLE',
        category: 'unavailable',
        details: { reason: 'proxy-refused', proxyStatus: 407 },
      });
      expect(error.message).toContain('PLATFORM_PROXY_URL');
      expect(client.observer.results).toEqual(Array<string>(3).fill('proxy-refused'));
      expect(platform.requests).toEqual([]);
    });

    it('name a proxy that is away, and were not sent', async () => {
      const client = clientThrough(origin());
      await proxy[Symbol.asyncDispose]();
      const error = await failureOf(create(client));
      expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'proxy-unreachable' } });
      expect(error.message).toContain('PLATFORM_PROXY_URL');
    });

    it('end at their deadline while the platform does not answer, and leave no connection behind', async () => {
      platform.always(neverAnswers);
      const error = await failureOf(create(clientThrough(origin()), callWithin(500)));
      expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
      await until('the proxy has no connection', () => proxy.connections === 0);
    });
  });

  describe('a tunnel', () => {
    it('that the proxy does not open in time names the proxy', async () => {
      proxy.behaviour = 'hangs';
      const client = clientThrough(front.origin, { limits: { attemptTimeoutMs: 150, maxAttempts: 2 } });
      const error = await failureOf(create(client));
      expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'proxy-timeout' } });
      expect(error.message).toContain('PLATFORM_PROXY_URL');
      await until('the proxy has no connection', () => proxy.connections === 0);
    });

    it('that the proxy does not open until the deadline is cut off', async () => {
      proxy.behaviour = 'hangs';
      const error = await failureOf(create(clientThrough(front.origin), callWithin(300)));
      expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
      await until('the proxy has no connection', () => proxy.connections === 0);
    });

    it.each([403, 502])('that the proxy refuses with %i is named with that status', async (status) => {
      proxy.behaviour = status;
      const { details } = await failureOf(create(clientThrough(front.origin)));
      expect(details).toEqual({ reason: 'proxy-refused', proxyStatus: status });
    });

    it('leads to a platform whose certificate is checked', async () => {
      const stranger = clientThrough(`https://127.0.0.1:${front.port}`, {
        transport: { tls: new TlsContext('PLATFORM'), proxyUrl: proxy.url },
      });
      expect((await failureOf(create(stranger))).details).toEqual({ reason: 'certificate' });
      expect(platform.requests).toEqual([]);
    });

    it('is not asked of an encrypted proxy whose certificate nobody trusts', async () => {
      await using encrypted = await TcpProxy.start(proxy.url, server);
      const tls = new TlsContext('PLATFORM', { ca: authority.ca });
      // The authority of the platform is not that of the proxy.
      const untrusting = buildClient({
        origin: front.origin,
        transport: { tls, proxyUrl: encrypted.origin },
      });
      expect((await failureOf(create(untrusting))).details).toEqual({ reason: 'proxy-unreachable' });
      expect(proxy.targets).toEqual([]);
    });
  });
});

describe('tls', () => {
  let authority: Authority;
  let server: Identity;
  let client: Identity;
  let front: TcpProxy;

  beforeAll(async () => {
    authority = await Authority.create();
    [server, client] = await Promise.all([authority.issue(['localhost']), authority.issue()]);
  });

  beforeEach(async () => {
    platform.always(answers(200, SESSION));
  });

  afterEach(() => front[Symbol.asyncDispose]());

  /** A platform that demands a client certificate of the authority. */
  const demanding = () => ({ ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: true });

  function clientWith(material: TlsMaterial, origin = front.origin) {
    const tls = new TlsContext('PLATFORM', material);
    return { tls, ...buildClient({ origin, transport: { tls } }) };
  }

  const create = ({ client: with_ }: ReturnType<typeof clientWith>) => createSession(with_);

  describe('calls to a platform with a private authority', () => {
    it('succeed with its file, and name PLATFORM_TLS_CA without it', async () => {
      front = await TcpProxy.start(platform.origin, server);
      await expect(create(clientWith({ ca: authority.ca }))).resolves.toBeDefined();

      const stranger = clientWith({});
      const error = await failureOf(create(stranger));
      expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'certificate' } });
      expect(error.message).toContain('PLATFORM_TLS_CA');
      expect(stranger.observer.results).toEqual(['certificate', 'certificate', 'certificate']);
      expect(platform.requests).toHaveLength(1);
    });

    it('trust no other authority, and none that Node.js trusts, once there is a file', async () => {
      front = await TcpProxy.start(platform.origin, server);
      const other = await Authority.create();
      const error = await failureOf(create(clientWith({ ca: other.ca })));
      expect(error.details).toEqual({ reason: 'certificate' });
    });

    it('do not reach a host of another name', async () => {
      front = await TcpProxy.start(platform.origin, server);
      const other = clientWith({ ca: authority.ca }, `https://127.0.0.1:${front.port}`);
      expect(await failureOf(create(other))).toMatchObject({
        code: 'PLATFORM_UNAVAILABLE',
        details: { reason: 'certificate' },
      });
      expect(platform.requests).toEqual([]);
    });
  });

  describe('calls to a platform that demands a client certificate', () => {
    beforeEach(async () => {
      front = await TcpProxy.start(platform.origin, demanding());
    });

    it('succeed with one of its authority', async () => {
      await expect(create(clientWith({ ca: authority.ca, ...client }))).resolves.toBeDefined();
      expect(front.clients).toEqual(['identity of a test']);
    });

    it.each(OPERATIONS)('are known not to have been carried out without one: %s', async (operation) => {
      const { client: bare, observer } = clientWith({ ca: authority.ca });
      const error = await failureOf(CALLS[operation](bare));
      expect(error).toMatchObject({
        code: 'PLATFORM_UNAVAILABLE',
        details: { reason: 'client-certificate' },
      });
      expect(error.message).toContain('PLATFORM_TLS_CERT');
      expect(observer.results).toEqual(Array<string>(3).fill('client-certificate'));
      expect(platform.requests).toEqual([]);
    });

    it('use a certificate that was replaced for new connections, and keep open ones', async () => {
      const changing = clientWith({ ca: authority.ca });
      expect((await failureOf(create(changing))).details).toEqual({ reason: 'client-certificate' });
      changing.tls.replace({ ca: authority.ca, ...client });
      await create(changing);
      changing.tls.replace({ ca: authority.ca });
      // Over the connection that stands.
      await create(changing);
      expect(front.clients).toEqual(['identity of a test']);
    });
  });
});

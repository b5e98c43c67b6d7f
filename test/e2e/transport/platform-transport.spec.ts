import { beforeAll, describe, expect, it } from '@jest/globals';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { HttpProxy } from '../../support/http-proxy.ts';
import { SandboxClient } from '../../support/sandbox-client.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { folderForAll, stackForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { startSandboxedService } from '../commands/sandboxed-service.ts';

const PASSWORD = 'c4n4ry';

describe('a platform with TLS, behind a proxy', () => {
  const folder = folderForAll();
  const stack = stackForAll();
  let authority: Authority;
  let server: Identity;
  let sandbox: SandboxProcess;
  let front: TcpProxy;
  let proxy: HttpProxy;
  let variables: Readonly<Record<string, string>>;

  beforeAll(async () => {
    authority = await Authority.create();
    server = await authority.issue();
    const client = await authority.issue();
    // A platform with TLS sends its players to TLS pages.
    sandbox = stack.use(new SandboxProcess({ SANDBOX_PUBLIC_URL: 'https://play.example' }));
    const demanding = { ca: authority.ca, requestCert: true, rejectUnauthorized: true };
    front = stack.use(await TcpProxy.start(await sandbox.url, { ...server, ...demanding }));
    proxy = stack.use(await HttpProxy.start());
    variables = {
      PLATFORM_BASE_URL: `${front.origin}/api/web`,
      PLATFORM_API_URL: front.origin,
      PLATFORM_TLS_CA: folder.write('ca.pem', authority.ca),
      PLATFORM_TLS_CERT: folder.write('cert.pem', client.cert),
      PLATFORM_TLS_KEY: folder.write('key.pem', client.key),
    };
  });

  it('is called through an https proxy, whose password stays secret', async () => {
    await using encrypted = await TcpProxy.start(proxy.origin, server);
    await using started = await startSandboxedService({
      sandbox: new SandboxClient(await sandbox.url),
      worker: {
        ...variables,
        PLATFORM_PROXY_URL: encrypted.origin.replace('//', `//user:${PASSWORD}@`),
        // The CA of the proxy; that of the platform is in PLATFORM_TLS_CA.
        NODE_EXTRA_CA_CERTS: variables['PLATFORM_TLS_CA']!,
        LOG_LEVEL: 'trace',
      },
    });
    const { caller, worker } = started;
    const [created] = await caller.send('session.create', { userId: 'ada' });
    expect(created?.type).toBe('session.created');
    expect(proxy.targets).toContain(`localhost:${front.port}`);
    expect(proxy.credentials.at(-1)).toBe(`Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`);

    await until('the tunnel is closed, as no call has used it', () => proxy.connections === 0);
    proxy.behaviour = 407;
    const [failure] = await caller.send('session.create', { userId: 'bob' });
    proxy.behaviour = 'passes';
    expect(failure?.body).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'proxy-refused', proxyStatus: 407 },
      message: expect.stringContaining('PLATFORM_PROXY_URL'),
    });
    expect(`${worker.stdout}${worker.stderr}${JSON.stringify(failure?.body)}`).not.toContain(PASSWORD);
    expect((await worker.get('/metrics')).body).toContain('result="proxy-refused"');
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';

import { Authority } from '../../../libs/settings/src/certificates.fixture.ts';
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
  let sandbox: SandboxProcess;
  let front: TcpProxy;
  let proxy: HttpProxy;
  let variables: Readonly<Record<string, string>>;

  beforeAll(async () => {
    authority = await Authority.create();
    const [server, client] = await Promise.all([authority.issue(), authority.issue()]);
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

  it('is called through an https proxy with its own authority, whose password stays secret', async () => {
    // As in practice, the proxy has a name and no address in its certificate, and an authority of its own.
    const ofProxy = await Authority.create();
    await using encrypted = await TcpProxy.start(proxy.origin, await ofProxy.issue(['localhost']));
    await using started = await startSandboxedService({
      sandbox: new SandboxClient(await sandbox.url),
      worker: {
        ...variables,
        PLATFORM_PROXY_URL: encrypted.origin.replace('//', `//user:${PASSWORD}@`),
        NODE_EXTRA_CA_CERTS: folder.write('proxy-ca.pem', ofProxy.ca),
        LOG_LEVEL: 'trace',
      },
    });
    const { caller, worker } = started;
    const [created] = await caller.send('session.create', { userId: 'ada' });
    expect(created?.type).toBe('session.created');
    expect(encrypted.accepted).toBeGreaterThan(0);
    expect(proxy.targets).toContain(`localhost:${front.port}`);
    // TLS inside the tunnel: the platform has verified the worker's certificate.
    expect(front.clients).toContain('identity of a test');
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

import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Authority, type Identity } from '../../../libs/settings/src/certificates.fixture.ts';
import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { freePorts } from '../../../scripts/network.ts';
import { healthy } from '../../support/platform-answers.ts';
import { folderForAll, serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../cli/run-cli.ts';

type Variables = Readonly<Record<string, string>>;

describe('a TLS broker that requires a client certificate', () => {
  const folder = folderForAll();
  let authority: Authority;
  let client: Identity;
  let broker: Broker;
  let tlsPort: number;
  /** The settings of a worker with valid certificates. */
  let right: Variables;

  const service = serviceForAll(async (stack) => {
    authority = await Authority.create();
    client = await authority.issue();
    const { cert, key } = await authority.issue(['localhost']);
    const [ca, server, serverKey] = [
      folder.write('ca.pem', authority.ca),
      folder.write('server.pem', cert),
      folder.write('server-key.pem', key),
    ];
    [tlsPort = 0] = await freePorts(1);
    const settings = [
      `{ssl_listeners, [{"127.0.0.1", ${tlsPort}}]}`,
      `{ssl_options, [{cacertfile, "${ca}"}, {certfile, "${server}"}, {keyfile, "${serverKey}"},
         {verify, verify_peer}, {fail_if_no_peer_cert, true}]}`,
    ];
    broker = stack.use(await startBroker({ settings }));
    right = {
      AMQP_URL: `amqps://guest:guest@localhost:${tlsPort}`,
      AMQP_TLS_CA: ca,
      AMQP_TLS_CERT: folder.write('cert.pem', client.cert),
      AMQP_TLS_KEY: folder.write('key.pem', client.key),
    };
    return { behaviour: healthy(), url: broker.url };
  });
  afterEach(() => service.stop());

  /** Returns why a worker with these settings does not connect. */
  async function reasonFor(variables: Variables): Promise<string> {
    const worker = service.start({ ...right, ...variables });
    const reason = await until('it has tried to connect', async () => {
      const { lastError } = (await worker.health()).bus;
      return lastError !== 'not connected yet' && lastError;
    });
    await service.stop();
    return reason;
  }

  it('serves workers that trust its CA and have a certificate of that CA', async () => {
    await service.worker(right);
    await service.expectServed();
  });

  it('fails workers without its CA or a certificate, with an error that says what to set', async () => {
    const other = folder.write('other.pem', (await Authority.create()).ca);
    const elsewhere = `amqps://guest:guest@127.0.0.1:${tlsPort}`;
    for (const [variables, reason] of [
      [{ AMQP_TLS_CA: '' }, /unknown authority; set AMQP_TLS_CA/],
      [{ AMQP_TLS_CA: other }, /unknown authority; set AMQP_TLS_CA/],
      [{ AMQP_TLS_CERT: '', AMQP_TLS_KEY: '' }, /AMQP_TLS_CERT and AMQP_TLS_KEY/],
      [{ AMQP_URL: elsewhere }, /for another host/],
    ] as const)
      expect(await reasonFor(variables)).toMatch(reason);
  });

  it('accepts a worker after its certificate was replaced', async () => {
    const other = await (await Authority.create()).issue();
    const cert = folder.write('changing-cert.pem', other.cert);
    const key = folder.write('changing-key.pem', other.key);
    const worker = service.start({ ...right, AMQP_TLS_CERT: cert, AMQP_TLS_KEY: key });
    await until('it is refused', async () =>
      (await worker.health()).bus.lastError?.includes('AMQP_TLS_CERT'),
    );
    // Between the two writes, certificate and key do not match.
    folder.write('changing-cert.pem', client.cert);
    folder.write('changing-key.pem', client.key);
    await worker.ready();
  });

  it('accepts the command line with the same certificates', async () => {
    await service.worker(right);
    const send = (variables: Variables) =>
      runCli(['send', 'session.create', '--data', '{"userId":"p-1"}', '--id', randomUUID()], {
        variables: { ...right, AMQP_PREFIX: service.prefix, ...variables },
      });
    expect(await send({})).toMatchObject({ code: 0, stdout: expect.stringContaining('session.created') });
    const stranger = await send({ AMQP_TLS_CA: '' });
    expect(stranger).toMatchObject({ code: 3, stderr: expect.stringContaining('AMQP_TLS_CA') });
    const halfway = await send({ AMQP_TLS_KEY: '' });
    expect(halfway).toMatchObject({ code: 78, stderr: expect.stringContaining('AMQP_TLS_CERT: has no key') });
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';

import { PlatformClients, PlatformModule } from '#platform';

import { until } from '../../support/until.ts';
import {
  buildClient,
  createSession,
  failureOf,
  LIMITS,
  operatorAt,
  RecordingObserver,
  startPlatform,
} from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers, type LocalPlatform, targetOf } from './local-platform.ts';

describe('other credentials', () => {
  const OTHER = { clientId: 'op2', secretKey: 'another_secret_key' };

  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform(answers(200, SESSION));
  });

  it('are used by the calls that begin then, over the same connection and with the same circuit', async () => {
    const { client } = buildClient(platform.origin);
    await createSession(client);
    client.use(operatorAt(platform.origin, { credentials: OTHER }));
    await createSession(client);
    const [before, after] = platform.requests;
    expect([before, after].map((request) => request!.url.searchParams.get('clientId'))).toEqual([
      'op1',
      'op2',
    ]);
    expect(after!.headers['sign']).not.toBe(before!.headers['sign']);
    expect([platform.connections, client.circuits()]).toEqual([1, [expect.anything()]]);
  });

  it('are not those of a call under way, nor of its retries', async () => {
    const { client } = buildClient(platform.origin);
    platform.next((...exchange) => {
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      return answers(503)(...exchange);
    });
    await createSession(client);
    const [first, second] = platform.requests;
    expect([targetOf(second!), second!.headers['sign']]).toEqual([targetOf(first!), first!.headers['sign']]);
  });

  it('are kept out of the errors of the calls that were made with them', async () => {
    const { client } = buildClient(platform.origin);
    platform.next((...exchange) => {
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      return answers(422, { errors: [{ detail: 'wrong: test_secret_key' }] })(...exchange);
    });
    const error = await failureOf(createSession(client));
    expect(JSON.stringify(error.platform)).not.toContain('test_secret_key');
  });

  it('may be those of another address, where the connections to the former one end with their calls', async () => {
    const { client } = buildClient(platform.origin);
    const other = await startPlatform(answers(200, SESSION));
    platform.next(answers(200, SESSION), (...exchange) => {
      client.use(operatorAt(other.origin));
      return answers(200, SESSION)(...exchange);
    });
    await Promise.all([1, 2].map(() => createSession(client)));
    await until('the former connections have ended', () => platform.openSockets === 0);
    await createSession(client);
    expect([platform.requests.length, other.requests.length]).toEqual([2, 1]);
  });
});

describe('PlatformModule', () => {
  it('provides the clients of its operators, and closes their connections when the application shuts down', async () => {
    const platform = await startPlatform(answers(200, SESSION));
    const observer = new RecordingObserver();
    const operators = [operatorAt(platform.origin)];
    const module = PlatformModule.forRoot({ operators, limits: LIMITS, observer });
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    const create = () => createSession(app.get(PlatformClients).get('default')!);
    await expect(create()).resolves.toMatchObject({ userId: 'u-1' });
    expect([observer.results, platform.openSockets]).toEqual([['2xx'], 1]);
    await app.close();
    await until('the connection is closed', () => platform.openSockets === 0);
    expect((await failureOf(create())).details).toEqual({ reason: 'closed' });
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';

import { PlatformClients } from '#platform';

import { until } from '../../support/until.ts';
import {
  buildClient,
  createSession,
  failureOf,
  LIMITS,
  operatorAt,
  platform,
  RecordingObserver,
  startPlatform,
} from './client.ts';
import { SESSION } from './documents.ts';
import { answers, type Behaviour, targetOf } from './local-platform.ts';

const answersSession = answers(200, SESSION);

beforeEach(() => void platform.always(answersSession));

describe('replaced credentials', () => {
  const OTHER = { clientId: 'op2', secretKey: 'another_secret_key' };

  /** Returns a client whose credentials change while a request is in flight. */
  function changing(behaviour: Behaviour) {
    const { client } = buildClient();
    platform.next((...exchange) => {
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      return behaviour(...exchange);
    });
    return client;
  }

  it('apply to new calls but not to retries, with the same connection and circuit', async () => {
    const client = changing(answers(503));
    await createSession(client);
    await createSession(client);
    const signed = platform.requests.map((request) => [targetOf(request), request.headers['sign']]);
    const [first, retry, next] = signed;
    expect(retry).toEqual(first);
    expect(next![0]).toContain('clientId=op2');
    expect(next![1]).not.toBe(first![1]);
    expect([platform.connections, client.operations()]).toEqual([1, [expect.anything()]]);
  });

  it('do not appear in the errors of calls made with them', async () => {
    const client = changing(answers(422, { errors: [{ detail: 'wrong: test_secret_key' }] }));
    const error = await failureOf(createSession(client));
    expect(error.platform?.errors).toEqual([{ detail: 'wrong: ***' }]);
  });

  it('may have another URL; connections to the previous one end with their calls', async () => {
    const { client } = buildClient();
    const other = await startPlatform(answersSession);
    platform.next(answersSession, (...exchange) => {
      client.use(operatorAt(other.origin));
      return answersSession(...exchange);
    });
    await Promise.all([1, 2].map(() => createSession(client)));
    // Sooner than the keep-alive timeout of an idle connection.
    await until('the former connections have ended', () => platform.openSockets === 0, 3_000);
    await createSession(client);
    expect([platform.requests.length, other.requests.length]).toEqual([2, 1]);
  });
});

it('an application closes the connections of its operators on shutdown', async () => {
  const observer = new RecordingObserver();
  const clients = new PlatformClients([operatorAt(platform.origin)], { limits: LIMITS, observer });
  const providers = [{ provide: PlatformClients, useValue: clients }];
  const module = { module: class {}, providers };
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const create = () => createSession(clients.get('default')!);
  for (const name of ['second', '', '__proto__']) expect(clients.get(name)).toBeUndefined();
  await create();
  expect([observer.results, platform.openSockets]).toEqual([['2xx'], 1]);
  await app.close();
  await until('the connection is closed', () => platform.openSockets === 0);
  const error = await failureOf(create());
  expect([error.code, error.details]).toEqual(['PLATFORM_UNAVAILABLE', { reason: 'closed' }]);
  expect(platform.connections).toBe(1);
});

import { lookup } from 'node:dns';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { DnsCache, type Resolve } from '#platform';

import { until } from '../../support/until.ts';
import { buildClient, callWithin, CALLS, codeOf, createSession, platform } from './client.ts';
import { errors, GAME, SESSION } from './documents.ts';
import { answers, answersAfter, answersTo, resets } from './local-platform.ts';

const answersSession = answers(200, SESSION);

beforeEach(() => void platform.always(answersSession));

it('limits concurrent calls to the number of connections, over both roots', async () => {
  platform.always(answersAfter(20, answersTo('open-game', answers(200, GAME), answersSession)));
  const { client, observer } = buildClient({ limits: { connections: 3, queue: 26 } });
  const calls = Array.from({ length: 30 }, (_, index) =>
    codeOf(CALLS[index % 2 ? 'game.open' : 'session.create'](client)),
  );
  const codes = await Promise.all(calls);
  expect([platform.requests.length, platform.maxInFlight, platform.connections]).toEqual([29, 3, 3]);
  expect([codes.at(-1), observer.refusals, observer.waits]).toEqual(['OVERLOADED', ['queue-full'], 26]);
});

describe('keep-alive', () => {
  it('uses one connection for consecutive calls, even after errors', async () => {
    platform.next(answersSession).always(answers(422, errors(422, { detail: 'x'.repeat(10_000) })));
    const { client } = buildClient();
    for (let i = 0; i < 10; i += 1) await codeOf(createSession(client));
    expect(platform.connections).toBe(1);
  });

  it('reports an unknown outcome if the server closes an idle connection after a request was sent', async () => {
    platform.next(answersSession, resets, answersSession);
    const { client, observer } = buildClient();
    await createSession(client);
    await createSession(client);
    expect(observer.results).toEqual(['2xx', 'reset', '2xx']);
    expect(platform.requests).toHaveLength(3);
  });

  it('opens a new connection if the server has closed the idle one', async () => {
    platform.always(answersAfter(0, answers(200, SESSION, { connection: 'close' })));
    const { client, observer } = buildClient();
    for (let i = 0; i < 5; i += 1) await createSession(client);
    expect([observer.results, platform.connections]).toEqual([Array<string>(5).fill('2xx'), 5]);
  });

  it('lasts only seconds, even if the server offers more', async () => {
    platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=600' }));
    const { client } = buildClient();
    await createSession(client);
    expect(platform.openSockets).toBe(1);
    await until('the idle connection is closed', () => platform.openSockets === 0);
    await createSession(client);
    expect(platform.connections).toBe(2);
  });
});

it('an unresolvable host name causes one DNS lookup and delays no other operator', async () => {
  const asked: string[] = [];
  const resolve: Resolve = (host, ...rest) => {
    asked.push(host);
    if (host !== 'dead.example') lookup(host, ...rest);
  };
  const dns = new DnsCache(resolve);
  const codes = (origin: string, ms: number) => {
    const { client } = buildClient({ origin, limits: { connections: 64 }, transport: { dns } });
    return Promise.all(Array.from({ length: 20 }, () => codeOf(createSession(client, callWithin(ms)))));
  };
  const lost = codes('http://dead.example', 1_000);
  const healthy = codes(platform.origin.replace('127.0.0.1', 'localhost'), 20_000);
  expect(new Set(await healthy)).toEqual(new Set(['OK']));
  expect(new Set(await lost)).toEqual(new Set(['COMMAND_EXPIRED']));
  expect(asked).toEqual(['dead.example', 'localhost']);
});

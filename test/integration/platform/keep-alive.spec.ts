import { beforeEach, describe, expect, it } from '@jest/globals';

import { until } from '../../support/until.ts';
import { buildClient, callWithin, CALLS, failureOf, startPlatform } from './client.fixture.ts';
import { errors, SESSION } from './documents.ts';
import { answers, answersAfter, type LocalPlatform, resets } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

describe('keep-alive', () => {
  it('uses one connection for consecutive calls', async () => {
    platform.always(answers(200, SESSION));
    const { client } = buildClient(platform.origin);
    for (let i = 0; i < 10; i += 1) await CALLS['session.create'](client, callWithin());
    expect(platform.connections).toBe(1);
  });

  it('is used after errors too, since their bodies are read', async () => {
    platform.always(answers(422, errors(422, { detail: 'x'.repeat(10_000) })));
    const { client } = buildClient(platform.origin);
    for (let i = 0; i < 10; i += 1) await failureOf(CALLS['session.create'](client, callWithin()));
    expect(platform.connections).toBe(1);
  });

  it('is not trusted: if a server closes an idle connection after a request, the outcome is unknown', async () => {
    platform.next(answers(200, SESSION), resets, answers(200, SESSION));
    const { client, observer } = buildClient(platform.origin);
    await CALLS['session.create'](client, callWithin());
    await CALLS['session.create'](client, callWithin());
    expect(observer.results).toEqual(['2xx', 'reset', '2xx']);
    expect(platform.received).toHaveLength(3);
  });

  it('opens a new connection if the server closed the idle one', async () => {
    platform.always(answersAfter(0, answers(200, SESSION, { connection: 'close' })));
    const { client, observer } = buildClient(platform.origin);
    for (let i = 0; i < 5; i += 1) await CALLS['session.create'](client, callWithin());
    expect(observer.results).toEqual(['2xx', '2xx', '2xx', '2xx', '2xx']);
    expect(platform.connections).toBe(5);
  });

  it('lasts seconds, however long the server offers: an older connection may be closing at that moment', async () => {
    platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=600' }));
    const { client } = buildClient(platform.origin);
    await CALLS['session.create'](client, callWithin());
    expect(platform.openSockets).toBe(1);
    await until('the idle connection is closed', () => platform.openSockets === 0);
    await CALLS['session.create'](client, callWithin());
    expect(platform.connections).toBe(2);
  });
});

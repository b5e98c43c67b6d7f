import { beforeEach, describe, expect, it } from '@jest/globals';

import { until } from '../../support/until.ts';
import { buildClient, callWithin, CALLS, failureOf, operatorAt, startPlatform } from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers, type LocalPlatform } from './local-platform.ts';

const OTHER = { clientId: 'op2', secretKey: 'another_secret_key' };

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform(answers(200, SESSION));
});

describe('other credentials', () => {
  it('are used by the calls that begin then, over the same connection and with the same circuit', async () => {
    const { client } = buildClient(platform.origin);
    await CALLS['session.create'](client, callWithin());
    client.use(operatorAt(platform.origin, { credentials: OTHER }));
    await CALLS['session.create'](client, callWithin());
    const [before, after] = platform.received;
    expect([before, after].map((request) => request!.url.searchParams.get('clientId'))).toEqual([
      'op1',
      'op2',
    ]);
    expect(after!.headers['sign']).not.toBe(before!.headers['sign']);
    expect([platform.connections, client.circuits()]).toEqual([1, [expect.anything()]]);
  });

  it('are not those of a call under way, nor of its retries', async () => {
    const { client } = buildClient(platform.origin);
    platform.next(({ response }) => {
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      response.writeHead(503).end();
    });
    await CALLS['session.create'](client, callWithin());
    const [first, second] = platform.received;
    expect([second!.target, second!.headers['sign']]).toEqual([first!.target, first!.headers['sign']]);
  });

  it('are kept out of the errors of the calls that were made with them', async () => {
    const { client } = buildClient(platform.origin);
    platform.next(({ response }) => {
      client.use(operatorAt(platform.origin, { credentials: OTHER }));
      response.writeHead(422).end(JSON.stringify({ errors: [{ detail: 'wrong: test_secret_key' }] }));
    });
    const error = await failureOf(CALLS['session.create'](client, callWithin()));
    expect(JSON.stringify(error.platform)).not.toContain('test_secret_key');
  });

  it('may be those of another address, where the connections to the former one end with their calls', async () => {
    const { client } = buildClient(platform.origin);
    const other = await startPlatform(answers(200, SESSION));
    platform.next(answers(200, SESSION), ({ response }) => {
      client.use(operatorAt(other.origin));
      void answers(200, SESSION)({ response } as never);
    });
    await Promise.all([1, 2].map(() => CALLS['session.create'](client, callWithin())));
    await until('the former connections have ended', () => platform.openSockets === 0);
    await CALLS['session.create'](client, callWithin());
    expect([platform.received.length, other.received.length]).toEqual([2, 1]);
  });
});

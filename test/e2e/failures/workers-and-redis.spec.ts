import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

/** Three in its lane, and then as many as `DELIVERY_LIMIT` says. */
const STARTS = 4;

let redis: PrivateRedis;
let service: ServiceUnderTest;
let workers: Map<string, WorkerProcess>;
const gate = new Gate();

/** Each worker has its own client id, so that the platform knows which one to kill. */
const behaviour: PlatformBehaviour = (request, response, socket) => {
  const player = playerOf(request);
  if (player === 'poison') workers.get(request.url.searchParams.get('clientId') ?? '')?.kill('SIGKILL');
  else if (player === 'slow') void gate.behind(healthy())(request, response, socket);
  else void healthy()(request, response, socket);
};

beforeAll(async () => {
  redis = await PrivateRedis.start();
  const variables = { REDIS_URL: redis.url, DELIVERY_LIMIT: '1' };
  service = await ServiceUnderTest.start({ behaviour, variables });
  const names = Array.from({ length: STARTS + 1 }, (_, index) => `worker-${index}`);
  workers = new Map(names.map((name) => [name, service.start({ PLATFORM_CLIENT_ID: name })]));
  await Promise.all([...workers.values()].map((worker) => worker.ready()));
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const callsFor = (player: string) => service.platform.requests.filter((each) => playerOf(each) === player);

const send = (userId: string, headers = {}): Promise<ReceivedReply[]> =>
  service.caller.send('session.create', { userId }, { messageId: userId, headers });

describe('Workers that share Redis', () => {
  it('do not repeat a command in flight whose worker lost its connection to the broker', async () => {
    const slow = send('slow');
    await until('it is called', () => gate.held === 1);
    service.proxy.cut();
    const redelivered = async () => {
      const { lanes } = (await [...workers.values()][0]!.health()).bus;
      return lanes['interactive']?.state === 'consuming';
    };
    await until('the workers are back', redelivered);
    const after = await send('beside');
    expect(after).toMatchObject([{ type: 'session.created' }]);
    // Longer than a dead worker's claim is valid.
    await sleep(4_000);
    expect(gate.held).toBe(1);
    gate.open();
    expect(await slow).toMatchObject([{ type: 'session.created', body: { userId: 'slow' } }]);
    expect(callsFor('slow')).toHaveLength(1);
  });

  it('wait for the leases of those that a command kills, and answer it as poison in good time', async () => {
    const [reply] = await send('poison');
    expect(reply?.body).toMatchObject({ code: 'POISON_COMMAND' });
    expect(callsFor('poison')).toHaveLength(STARTS);
  });
});

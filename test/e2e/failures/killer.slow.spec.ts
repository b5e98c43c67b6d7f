import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { keepWorkers, type Workers } from '../../support/workers.ts';

const WORKERS = 3;
const OTHERS = 60;
const PLATFORM_MS = 4_000;
const DELIVERY_LIMIT = 2;
/** Time for all deaths: each worker is replaced, and each round takes as long as a call to the platform. */
const ALL_DEATHS_MS = 240_000;

describe.each([
  ['a killer', 1],
  // Its worker may die between the confirm of a copy and the acknowledgement of the original.
  ['a killer that is in the queue twice', 2],
])('%s, among sixty commands, on three workers and a platform that takes four seconds', (_, copies) => {
  const stack = new AsyncDisposableStack();
  let workers: Workers;
  /** The path of each worker to the platform, which identifies the worker of a call. */
  let paths: TcpProxy[];
  let deaths = 0;
  let replies: ReceivedReply[];
  // End the workers before the service does: otherwise each would be replaced, and the replacement would keep
  // running.
  afterAll(() => workers[Symbol.asyncDispose]());
  afterAll(() => stack.disposeAsync());
  const service = serviceForAll({
    behaviour: (request, response, socket) => {
      if (playerOf(request) !== 'poison')
        return void setTimeout(() => void healthy()(request, response, socket), PLATFORM_MS);
      const port = socket.remotePort ?? 0;
      deaths += 1;
      workers.programs[paths.findIndex((path) => path.portsAtTarget.includes(port))]?.kill('SIGKILL');
    },
    variables: { DELIVERY_LIMIT: String(DELIVERY_LIMIT), PLATFORM_ATTEMPT_TIMEOUT_MS: '5000' },
  });

  beforeAll(async () => {
    const { PLATFORM_BASE_URL: platform = '' } = service.platform.variables;
    const start = () => TcpProxy.start(platform);
    paths = await Promise.all(Array.from({ length: WORKERS }, async () => stack.use(await start())));
    workers = keepWorkers(WORKERS, (number) =>
      service.start({ PLATFORM_BASE_URL: paths[number]?.through(platform) ?? '' }),
    );
    await workers.areReady();
    const ids = Array.from({ length: OTHERS }, (_, index) => `other-${index}`).toSpliced(
      OTHERS / 2,
      0,
      'poison',
    );
    const sent = ids.map((userId) => {
      const replied = service.caller.repliesTo(userId, ALL_DEATHS_MS);
      for (let copy = 0; copy < (userId === 'poison' ? copies : 1); copy += 1)
        service.caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
      return replied;
    });
    replies = (await Promise.all(sent)).flat();
  });

  it('is found after at most twelve deaths', () => {
    expect(replies.find(({ correlationId }) => correlationId === 'poison')?.body).toMatchObject({
      code: 'POISON_COMMAND',
    });
    expect(deaths).toBeLessThanOrEqual(12);
  });

  it('leaves each other command answered after at most four calls in quarantine', async () => {
    const others = replies.filter(({ correlationId }) => correlationId !== 'poison');
    expect(new Set(others.map(({ type }) => type))).toEqual(new Set(['session.created']));
    const calls = new Map<string, number>();
    for (const request of service.platform.requests) {
      const player = playerOf(request) ?? '';
      if (player !== 'poison') calls.set(player, (calls.get(player) ?? 0) + 1);
    }
    // Each of the three deaths in the lane adds one call.
    expect(Math.max(...calls.values())).toBeLessThanOrEqual(4 + 3);
    await until('quarantine is empty', async () => (await service.depth('quarantine')) === 0);
  });
});

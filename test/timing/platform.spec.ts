import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { asking } from '../../libs/messaging/src/idempotency/asking.fixture.ts';
import { hostilePage, largePage } from '../../libs/platform/src/answers/large-page.fixture.ts';
import { LEASE_MS, redisForEach, Workers } from '../integration/idempotency/workers.ts';
import { percentile } from '../../lab/bench/measure.ts';
import { interactiveLoad } from '../support/interactive-load.ts';
import { DAY, healthy, playerOf } from '../support/platform-answers.ts';
import type { PrivateRedis } from '../support/private-redis.ts';
import type { ServiceUnderTest } from '../support/service-under-test.ts';
import { serviceForAll } from '../support/suite-service.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const PLATFORM_MS = 20;
const PHASE_MS = 5_000;
const PER_SECOND = 80;
const MOST_RATIO = 2;
const MOST_MIB = 400;
/** Other programs of a busy machine can raise the p99 of some rounds. */
const ROUNDS = 5;
/** The default number of reports that a worker reads at once. */
const REPORTS = 4;

describe.each([
  ['of ordinary records', largePage()],
  ['of a hostile platform', hostilePage()],
])('during pages of 16 MiB %s', (_, page) => {
  const players = healthy();
  const service = serviceForAll({
    behaviour: async (request, response, socket) => {
      if (playerOf(request) === undefined) return void response.end(page);
      await sleep(PLATFORM_MS);
      await players(request, response, socket);
    },
    variables: { REPORTS_DEADLINE_MS: '600000' },
    workers: 1,
  });

  it(`players' p99 is at most twice what it is alone, and memory stays under ${MOST_MIB} MiB`, async () => {
    // The test parses no pages while it measures the latency of players.
    const { queue } = await service.caller.channel.assertQueue('', {
      exclusive: true,
      arguments: { 'x-max-length': 1 },
    });
    const reportsRead = () => service.running.metric('poker_commands_total', 'type="report.rake.fetch"');
    const rounds: number[][] = [];
    await measure(service);
    while (
      rounds.length < ROUNDS &&
      !rounds.some(([alone = 0, beside = 0]) => beside <= MOST_RATIO * alone)
    ) {
      const alone = await measure(service);
      let areWanted = true;
      const reports = Array.from({ length: REPORTS }, async () => {
        while (areWanted) {
          const before = await reportsRead();
          service.caller.publish('report.rake.fetch', { ...DAY, page: 1 }, { replyTo: queue });
          while ((await reportsRead()) === before) await sleep(50);
        }
      });
      const beside = await measure(service);
      areWanted = false;
      await Promise.all(reports);
      rounds.push([alone, beside]);
    }
    expect(Math.min(...rounds.map(([alone = 0, beside = 0]) => beside / alone))).toBeLessThanOrEqual(
      MOST_RATIO,
    );
    expect(service.peakMib()).toBeLessThan(MOST_MIB);
  });
});

/** The p99 of sessions that are created at a steady rate, in milliseconds. */
async function measure({ caller }: ServiceUnderTest): Promise<number> {
  const send = (index: number) => caller.send('session.create', { userId: `p-${index}` });
  const { latenciesMs } = await interactiveLoad(send, PER_SECOND, PHASE_MS);
  return percentile(latenciesMs, 0.99);
}

/** The time limit of 250 ms, and the overhead of the machine. */
const ONE_TIMEOUT_MS = 600;
const AT_ONCE_MS = 100;

/** test/integration/idempotency/redis-away.spec.ts tests which call waits, and that only one does. */
describe('workers whose Redis does not answer', () => {
  let redis: PrivateRedis;
  let workers: Workers;
  let store: RedisIdempotencyStore;

  redisForEach((...started) => ([redis, workers] = started));
  beforeEach(async () => {
    store = await workers.join();
    redis.signal('SIGSTOP');
  });
  afterEach(() => redis.signal('SIGCONT'));

  const durationMs = async (work: () => Promise<unknown>): Promise<number> => {
    const startMs = performance.now();
    await work();
    return performance.now() - startMs;
  };
  const manyClaims = () =>
    Promise.all(Array.from({ length: 50 }, () => store.claim(randomUUID(), asking('f'))));

  it('waits a quarter of a second for it, and then no longer', async () => {
    expect(await durationMs(manyClaims)).toBeLessThan(ONE_TIMEOUT_MS);
    expect(await durationMs(manyClaims)).toBeLessThan(AT_ONCE_MS);
  });

  it('waits for the lease of a dead worker, and hardly longer', async () => {
    redis.signal('SIGCONT');
    await using line = await TcpProxy.start(redis.url);
    using dying = new Workers(line.through(redis.url));
    const [dead, other] = await Promise.all([dying.join(), workers.join()]);
    const id = randomUUID();
    expect(await dead.claim(id, asking('f'))).toMatchObject({ kind: 'claimed' });
    line.refuse();
    line.cut();
    const claim = await other.claim(id, asking('f'));
    if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
    expect(await durationMs(() => claim.outcome)).toBeLessThan(LEASE_MS + 500);
  });
});

import { randomUUID } from 'node:crypto';

import type { Channel } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openConnection, testBrokerUrl } from '../../support/broker.ts';
import { interactiveLoad } from '../../support/interactive-load.ts';
import { dripping, healthy, silent } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';
import { LanesPlatform } from './lanes-platform.ts';

const HOUR_MS = 3_600_000;
const CALM_TIMEOUT_MS = 60_000;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const REPORT_TYPES = ['report.rake.fetch', 'report.ad-hoc.fetch'];
const REPORTS = 250;
/** Few connections and many reports in flight: without a share of their own, players would find none free. */
const CONNECTIONS = 32;
const REPORTS_PREFETCH = 32;
const REPORT_QUEUES = ['reports', 'reports.retry.1000', 'reports.retry.3000'];
const SLOW_MS = 4_000;

const slow: PlatformBehaviour = (request, response, socket) => {
  const timer = setTimeout(() => void healthy(1)(request, response, socket), SLOW_MS);
  response.on('close', () => clearTimeout(timer));
};

/** The ways in which the platform's report endpoint fails; its sessions and games are well meanwhile. */
const REPORT_ENDPOINTS: Readonly<Record<string, PlatformBehaviour>> = {
  'never answers': silent,
  'answers after 4 s': slow,
  drips: dripping,
  'resets the connection': (_request, _response, socket) => void socket.resetAndDestroy(),
  'answers 500 at once': (_request, response) => answerJson(response, 500, { errors: [] }),
};

/** Why stuck reports do not affect players; `npm run bench -- --apart` measures how little. */
describe('players while hundreds of reports are stuck', () => {
  const platform = new LanesPlatform();
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: platform.behaviour,
      variables: {
        PLATFORM_CONNECTIONS: String(CONNECTIONS),
        REPORTS_PREFETCH: String(REPORTS_PREFETCH),
        // Failures of one test are forgotten by the next.
        CIRCUIT_WINDOW_MS: '2000',
        CIRCUIT_OPEN_MS: '1000',
        REPORTS_RETRY_DELAYS_MS: '1000,3000',
        EVENTS: 'none',
        // On a busy machine, a report that is held back must not be late before all the others are queued.
        INTERACTIVE_DEADLINE_MS: '600000',
        PLATFORM_ATTEMPT_TIMEOUT_MS: String(HOUR_MS),
      },
    });
    worker = await service.worker();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it.each(Object.keys(REPORT_ENDPOINTS))(
    'are all served, over the connections that reports leave to them, if the report endpoint %s',
    async (endpoint) => {
      platform.mostReports = 0;
      await queueReports();
      platform.play(REPORT_ENDPOINTS[endpoint]!);
      const { failures } = await interactiveLoad(sessionsAndGames, 100, 1_250);
      const { circuits } = (await worker.health()).circuits;
      expect(failures).toEqual({});
      const open = circuits.filter(({ state }) => state !== 'closed').map(({ operation }) => operation);
      expect(open.filter((operation) => !operation.startsWith('report.'))).toEqual([]);
      expect(platform.mostReports).toBeGreaterThan(0);
      // Half of the connections, and those that the platform does not yet know to be cut off.
      expect(platform.mostReports).toBeLessThan(0.75 * CONNECTIONS);
      expect(await inReportQueues(waiting)).toBeGreaterThan(100);
      await calm();
    },
  );

  const sessionsAndGames = (index: number) =>
    index % 2 === 0
      ? service.caller.send('session.create', { userId: randomUUID() })
      : service.caller.send('game.open', { player: { id: randomUUID() } });

  /** All of them lie in their queue or are stuck before the platform does what it is to do. */
  async function queueReports(): Promise<void> {
    platform.hold();
    for (let report = 0; report < REPORTS; report += 1)
      service.caller.publish(REPORT_TYPES[report % 2]!, PERIOD, { messageId: randomUUID() });
    await until('they are stuck', async () => {
      const isFull = platform.held >= CONNECTIONS / 2;
      return isFull && (await inReportQueues(waiting)) === REPORTS - REPORTS_PREFETCH;
    });
  }

  /** Takes the queued reports away, lets those in flight end, and waits until reports are served again. */
  async function calm(): Promise<void> {
    platform.heal();
    const isCalm = async () => {
      const { reports } = (await worker.health()).bus.lanes;
      const isIdle = reports?.state === 'consuming' && reports.inFlight === 0;
      return (await inReportQueues(purge)) === 0 && isIdle;
    };
    await until('no report is left', isCalm, CALM_TIMEOUT_MS);
    for (const type of REPORT_TYPES) {
      const replies = service.caller.repliesTo(type, CALM_TIMEOUT_MS);
      service.caller.publish(type, PERIOD, { messageId: randomUUID(), correlationId: type });
      await replies;
    }
  }

  /** The number of messages in the queues of reports. */
  async function inReportQueues(look: (channel: Channel, queue: string) => Promise<number>): Promise<number> {
    let sum = 0;
    for (const queue of REPORT_QUEUES) {
      await using asking = await openConnection(testBrokerUrl());
      sum += await look(asking.channel, service.name(queue)).catch(() => 0);
    }
    return sum;
  }
});

async function waiting(channel: Channel, queue: string): Promise<number> {
  return (await channel.checkQueue(queue)).messageCount;
}

async function purge(channel: Channel, queue: string): Promise<number> {
  return (await channel.purgeQueue(queue)).messageCount;
}

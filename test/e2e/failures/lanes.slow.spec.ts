import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { interactiveLoad } from '../../support/interactive-load.ts';
import {
  DAY,
  dripping,
  Gate,
  healthy,
  playerOf,
  silent,
  unavailable,
} from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { folderForAll, serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const ANSWER_MS = 20;
const REPORT_TYPES = ['report.rake.fetch', 'report.ad-hoc.fetch'];
const REPORTS = 250;

/**
 * Few connections for many in-flight reports: without a reserved share, no connection would be free for
 * players.
 */
const CONNECTIONS = 32;

const REPORTS_PREFETCH = 32;
const REPORT_QUEUES = ['reports', 'reports.retry.1000', 'reports.retry.3000'];
const SLOW_MS = 4_000;

const slow: PlatformBehaviour = (request, response, socket) => {
  const timer = setTimeout(() => void healthy(1)(request, response, socket), SLOW_MS);
  response.on('close', () => clearTimeout(timer));
};

/** The failures of the platform's report endpoint, while its sessions and games work. */
const REPORT_ENDPOINTS: Readonly<Record<string, PlatformBehaviour>> = {
  'never answers': silent,
  'answers after 4 s': slow,
  drips: dripping,
  'resets the connection': (_request, _response, socket) => void socket.resetAndDestroy(),
  'answers 500 at once': (_request, response) => answerJson(response, 500, { errors: [] }),
};

/** Why stuck reports do not affect players; `npm run bench -- --apart` measures how little. */
describe('players while hundreds of reports are stuck', () => {
  /** The platform's behaviour for reports; its sessions and games always work. */
  let reports: PlatformBehaviour = healthy(1);
  let mostReports = 0;
  const underWay = new Set<ServerResponse>();
  const service = serviceForAll({
    behaviour: async (...call) => {
      const [request, response] = call;
      if (playerOf(request) !== undefined) {
        await sleep(ANSWER_MS);
        return healthy()(...call);
      }
      underWay.add(response);
      response.on('close', () => underWay.delete(response));
      mostReports = Math.max(mostReports, underWay.size);
      return reports(...call);
    },
    variables: {
      PLATFORM_CONNECTIONS: String(CONNECTIONS),
      REPORTS_PREFETCH: String(REPORTS_PREFETCH),
      // The next test must not see the failures of this one.
      CIRCUIT_WINDOW_MS: '2000',
      CIRCUIT_OPEN_MS: '1000',
      REPORTS_RETRY_DELAYS_MS: '1000,3000',
      EVENTS: 'none',
    },
    workers: 1,
  });

  it.each(Object.keys(REPORT_ENDPOINTS))(
    'are all served, over the connections that reports leave to them, if the report endpoint %s',
    async (endpoint) => {
      mostReports = 0;
      // All reports are queued or stuck before the platform starts to fail.
      const gate = new Gate();
      reports = gate.behind(REPORT_ENDPOINTS[endpoint]!);
      for (let report = 0; report < REPORTS; report += 1)
        service.caller.publish(REPORT_TYPES[report % 2]!, DAY, { messageId: randomUUID() });
      const isFull = async () => (await waiting()) >= REPORTS - 2 * REPORTS_PREFETCH;
      await until('they are stuck', async () => gate.held >= CONNECTIONS / 2 && (await isFull()));
      reports = REPORT_ENDPOINTS[endpoint]!;
      gate.open();
      const { failures } = await interactiveLoad(sessionsAndGames, 100, 1_250);
      const { circuits } = (await service.running.health()).circuits;
      expect(failures).toEqual([]);
      const open = circuits.filter(({ state }) => state !== 'closed').map(({ operation }) => operation);
      expect(open.filter((operation) => !operation.startsWith('report.'))).toEqual([]);
      expect(mostReports).toBeGreaterThan(0);
      // Half of the connections, plus lost connections that the platform has not yet detected.
      expect(mostReports).toBeLessThan(0.75 * CONNECTIONS);
      expect(await waiting()).toBeGreaterThan(100);
      await calm();
    },
  );

  const sessionsAndGames = (index: number) =>
    index % 2 === 0
      ? service.caller.send('session.create', { userId: randomUUID() })
      : service.caller.send('game.open', { player: { id: randomUUID() } });

  const waiting = async (): Promise<number> => {
    const depths = await Promise.all(REPORT_QUEUES.map((queue) => service.depth(queue)));
    return depths.reduce((sum, depth) => sum + depth, 0);
  };

  /** Removes the queued reports, lets in-flight reports end, and waits until reports are served again. */
  async function calm(): Promise<void> {
    reports = healthy(1);
    for (const response of underWay) response.destroy();
    await service.clearReports([1_000, 3_000]);
    for (const type of REPORT_TYPES) {
      const replies = service.caller.repliesTo(type);
      service.caller.publish(type, DAY, { messageId: randomUUID(), correlationId: type });
      await replies;
    }
  }
});

/** Source: bus contract, section 5, "Apart". */
const LONGER_MS = 5_000;

/** The production value; the other timeouts of these tests exceed the duration of any test. */
const ATTEMPT_TIMEOUT_MS = '5000';

/** The platforms of the failing operators. */
const SICK: Readonly<Record<string, PlatformBehaviour>> = { down: unavailable, silent };

/** A report of a hundred pages, each of which takes half a second. */
const longReport: PlatformBehaviour = async (...call) => {
  await sleep(500);
  await healthy(100)(...call);
};

describe.each([
  [1, 'without Redis', false],
  [2, 'with Redis', true],
] as const)('beside reports that wait, with %i workers %s', (count, _memory, redis) => {
  const folder = folderForAll();
  /** The behaviour of the healthy operator's platform for ad hoc reports. */
  let adHoc: PlatformBehaviour = silent;

  const service = serviceForAll({
    behaviour: (request, ...rest) => {
      const [, operator = ''] = request.url.pathname.split('/');
      const behaviour = request.url.pathname.endsWith('/rake') ? healthy(1) : adHoc;
      void (SICK[operator] ?? behaviour)(request, ...rest);
    },
    variables: { PLATFORM_ATTEMPT_TIMEOUT_MS: ATTEMPT_TIMEOUT_MS },
    redis,
  });

  /** The control: the time that this machine takes for the same number of reports if none has to wait. */
  const control = serviceForAll({ behaviour: healthy(1), workers: 1 });

  beforeAll(async () => {
    const operators = Object.keys(SICK).map((name) => {
      const baseUrl = `${service.platform.origin}/${name}/api/web`;
      return [name, { baseUrl, clientId: name, secretKey: `secret of ${name}` }];
    });
    const OPERATORS_FILE = folder.write('operators.json', JSON.stringify(Object.fromEntries(operators)));
    for (let n = 0; n < count; n += 1) await service.worker({ OPERATORS_FILE });
    await Promise.all([waitIn(service), waitIn(control)]);
  });

  // The promise is about one trouble at a time, and the reports of a test would return during the next ones.
  afterEach(async () => {
    const { platform } = service;
    const { behaviour } = platform;
    platform.behaviour = healthy(1);
    await service.clearReports();
    platform.behaviour = behaviour;
  });

  /** Measures the time of a report of a healthy operator. */
  const waitIn = async ({ caller }: ServiceUnderTest): Promise<number> => {
    const startedMs = performance.now();
    const replies = await caller.send('report.rake.fetch', DAY);
    expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    return performance.now() - startedMs;
  };

  const publish = (reports: number, options: Options.Publish, type = 'report.rake.fetch') => {
    for (let n = 0; n < reports; n += 1) {
      service.caller.publish(type, { ...DAY, perPage: 1 }, options);
      control.caller.publish(type, DAY);
    }
  };
  const publishAdHoc = (behaviour: PlatformBehaviour) => {
    adHoc = behaviour;
    publish(60, {}, 'report.ad-hoc.fetch');
  };
  const publishAs = (operator: string) => publish(60, { headers: { operator } });

  it.each<[string, () => void | Promise<void>]>([
    [
      'forty are for a queue that is full',
      async () => {
        const replyTo = await service.caller.boundedQueue(1);
        service.caller.channel.sendToQueue(replyTo, Buffer.from('in the way'));
        publish(40, { replyTo });
      },
    ],
    ['forty are for a queue that is gone', () => publish(40, { replyTo: 'nobody-has-this-queue' })],
    [
      'sixty are for queues of their own that are gone',
      () => {
        for (let n = 0; n < 60; n += 1) publish(1, { replyTo: `nobody-has-queue-${n}` });
      },
    ],
    [
      'sixty are for queues of their own that are full',
      async () => {
        const { channel } = service.caller;
        for (let n = 0; n < 60; n += 1) {
          const replyTo = await service.caller.boundedQueue(1, n % 2 === 0);
          channel.sendToQueue(replyTo, Buffer.from('in the way'));
          publish(1, { replyTo });
        }
      },
    ],
    ['sixty are of an operator that is down', () => publishAs('down')],
    ['sixty are of an operator that is silent', () => publishAs('silent')],
    ['sixty of its operator are of an operation that is long', () => publishAdHoc(longReport)],
    ['sixty of its operator are of an operation that is silent', () => publishAdHoc(silent)],
    ['sixty of its operator are of an operation that is down', () => publishAdHoc(unavailable)],
  ])('a report waits at most five seconds longer if %s', async (_, publishOthers) => {
    await publishOthers();
    const [ms, controlMs] = await Promise.all([waitIn(service), waitIn(control)]);
    expect(ms).toBeLessThan(controlMs + LONGER_MS);
  });
});

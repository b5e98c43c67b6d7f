import { randomUUID } from 'node:crypto';

import type { Channel } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';
import { type InteractiveLoad, interactiveLoad, sessionsAndGames } from './interactive-load.ts';
import { LanesPlatform } from './lanes-platform.ts';
import { REPORT_ENDPOINTS, type ReportEndpoint } from './report-endpoints.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** Few connections and many reports in flight: without a share of their own, players would find none free. */
const CONNECTIONS = 32;
/** Reports in flight at once: half of the connections. */
const REPORTS_AT_ONCE = CONNECTIONS / 2;
const VARIABLES = {
  PLATFORM_CONNECTIONS: String(CONNECTIONS),
  REPORTS_PREFETCH: '32',
  // What was served between two phases is forgotten by the next.
  CIRCUIT_WINDOW_MS: '2000',
  CIRCUIT_OPEN_MS: '1000',
  REPORTS_RETRY_DELAYS_MS: '1000,3000',
  EVENTS: 'none',
};
const CALM_TIMEOUT_MS = 60_000;

export interface LanesOptions {
  /** Of the broker. */
  readonly url: string;
  readonly ratePerSecond: number;
  readonly phaseMs: number;
  /** Reports that are queued when a phase begins. */
  readonly reports: number;
  /** Of the worker, over those of a measurement. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A worker's own defaults. */
const DEFAULTS = { INTERACTIVE_DEADLINE_MS: '15000', PLATFORM_ATTEMPT_TIMEOUT_MS: '5000' };

/** One stretch of time with a steady load of players. */
export interface Phase {
  /** `undefined` if nobody asked for reports. */
  readonly endpoint: ReportEndpoint | undefined;
  readonly load: InteractiveLoad;
  /** Calls to the report endpoint, and the most of them at once. */
  readonly reportCalls: number;
  readonly mostReports: number;
  /** Reports that waited, in whichever queue, when the phase was over. */
  readonly reportsWaiting: number;
  /** Circuits of players' operations that are not closed. */
  readonly openCircuits: readonly string[];
}

/** One worker with both lanes, and phases of it one after the other. */
export class Lanes implements AsyncDisposable {
  readonly connections = CONNECTIONS;
  readonly #options: LanesOptions;
  readonly #platform: LanesPlatform;
  readonly #service: ServiceUnderTest;
  readonly #worker: WorkerProcess;

  private constructor(
    options: LanesOptions,
    platform: LanesPlatform,
    service: ServiceUnderTest,
    worker: WorkerProcess,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#service = service;
    this.#worker = worker;
  }

  /** With a worker that is warm. */
  static async start(options: LanesOptions): Promise<Lanes> {
    const platform = new LanesPlatform();
    const service = await ServiceUnderTest.start({
      behaviour: platform.behaviour,
      variables: { ...VARIABLES, ...DEFAULTS, ...options.variables },
      url: options.url,
    });
    const lanes = new Lanes(options, platform, service, await service.worker());
    await interactiveLoad(sessionsAndGames(service.caller), options.ratePerSecond, options.phaseMs);
    return lanes;
  }

  /** A phase without reports, then one with the endpoint as it is named. */
  async pair(endpoint: ReportEndpoint): Promise<readonly [Phase, Phase]> {
    const quiet = await this.#phase(undefined);
    const disturbed = await this.#phase(endpoint);
    await this.#calm();
    return [quiet, disturbed];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }

  async #phase(endpoint: ReportEndpoint | undefined): Promise<Phase> {
    const platform = this.#platform;
    const { ratePerSecond, phaseMs } = this.#options;
    const callsBefore = platform.reportCalls;
    platform.mostReports = 0;
    if (endpoint !== undefined) {
      await this.#queueReports();
      platform.play(REPORT_ENDPOINTS[endpoint]);
    }
    const load = await interactiveLoad(sessionsAndGames(this.#service.caller), ratePerSecond, phaseMs);
    const { circuits } = (await this.#worker.health()).circuits;
    return {
      endpoint,
      load,
      reportCalls: platform.reportCalls - callsBefore,
      mostReports: platform.mostReports,
      reportsWaiting: await this.#inReportQueues(waiting),
      openCircuits: circuits
        .filter(({ operation, state }) => !operation.startsWith('report.') && state !== 'closed')
        .map(({ operation }) => operation),
    };
  }

  /** All of them lie in their queue or are stuck before the measurement, which is not of how they get there. */
  async #queueReports(): Promise<void> {
    const { reports } = this.#options;
    this.#platform.hold();
    for (let report = 0; report < reports; report += 1) {
      const type = report % 2 === 0 ? 'report.rake.fetch' : 'report.ad-hoc.fetch';
      this.#service.caller.publish(type, PERIOD, { messageId: randomUUID() });
    }
    const inFlight = Number(VARIABLES.REPORTS_PREFETCH);
    await until(
      'they are stuck',
      async () =>
        this.#platform.held >= REPORTS_AT_ONCE &&
        (await this.#inReportQueues(waiting)) === reports - inFlight,
    );
  }

  /** Takes the queued reports away, lets those in flight end, and waits until both reports are served again. */
  async #calm(): Promise<void> {
    this.#platform.heal();
    await until(
      'no report is left',
      async () => {
        const { reports } = (await this.#worker.health()).bus.lanes;
        const isIdle = reports?.state === 'consuming' && reports.inFlight === 0;
        return (await this.#inReportQueues(purge)) === 0 && isIdle;
      },
      CALM_TIMEOUT_MS,
    );
    for (const type of ['report.rake.fetch', 'report.ad-hoc.fetch']) await this.#served(type);
  }

  async #served(type: string): Promise<void> {
    const { caller } = this.#service;
    const replies = caller.repliesTo(type, CALM_TIMEOUT_MS);
    caller.publish(type, PERIOD, { messageId: randomUUID(), correlationId: type });
    try {
      await replies;
    } catch (error) {
      const { bus, circuits } = await this.#worker.health();
      const log = this.#worker.stdout.slice(-4_000);
      throw new Error(`${type} is not served again: ${JSON.stringify({ bus, circuits })}\n${log}`, {
        cause: error,
      });
    }
  }

  /** The number of messages in the queues of reports. */
  async #inReportQueues(look: (channel: Channel, queue: string) => Promise<number>): Promise<number> {
    const retryQueues = VARIABLES.REPORTS_RETRY_DELAYS_MS.split(',').map(
      (delayMs) => `reports.retry.${delayMs}`,
    );
    let sum = 0;
    for (const queue of ['reports', ...retryQueues]) {
      await using asking = await openConnection(this.#options.url);
      sum += await look(asking.channel, this.#service.name(queue)).catch(() => 0);
    }
    return sum;
  }
}

async function waiting(channel: Channel, queue: string): Promise<number> {
  return (await channel.checkQueue(queue)).messageCount;
}

async function purge(channel: Channel, queue: string): Promise<number> {
  return (await channel.purgeQueue(queue)).messageCount;
}

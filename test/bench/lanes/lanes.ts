import { randomUUID } from 'node:crypto';

import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';
import { type InteractiveLoad, interactiveLoad } from './interactive-load.ts';
import { LanesPlatform } from './lanes-platform.ts';
import { REPORT_ENDPOINTS, type ReportEndpoint } from './report-endpoints.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
/** Few connections and many reports in hand: without a share of their own, players would find none free. */
const CONNECTIONS = 32;
const VARIABLES = {
  PLATFORM_CONNECTIONS: String(CONNECTIONS),
  REPORTS_PREFETCH: '64',
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
}

/** One stretch of time with a steady load of players. */
export interface Phase {
  /** `undefined` where nobody asked for reports. */
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
      variables: VARIABLES,
      url: options.url,
    });
    const lanes = new Lanes(options, platform, service, await service.worker());
    await interactiveLoad(service.caller, options.ratePerSecond, options.phaseMs);
    return lanes;
  }

  /** A phase without reports, then one with the endpoint as it is named. */
  async pair(endpoint: ReportEndpoint): Promise<readonly [Phase, Phase]> {
    const quiet = await this.#phase(undefined);
    const troubled = await this.#phase(endpoint);
    await this.#calm();
    return [quiet, troubled];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }

  async #phase(endpoint: ReportEndpoint | undefined): Promise<Phase> {
    const platform = this.#platform;
    const { ratePerSecond, phaseMs } = this.#options;
    const callsBefore = platform.reportCalls;
    platform.mostReports = 0;
    if (endpoint !== undefined) await this.#queueReports(endpoint);
    const load = await interactiveLoad(this.#service.caller, ratePerSecond, phaseMs);
    const { circuits } = (await this.#worker.health()).circuits;
    return {
      endpoint,
      load,
      reportCalls: platform.reportCalls - callsBefore,
      mostReports: platform.mostReports,
      reportsWaiting: await this.#reportsWaiting(),
      openCircuits: circuits
        .filter(({ operation, state }) => !operation.startsWith('report.') && state !== 'closed')
        .map(({ operation }) => operation),
    };
  }

  async #queueReports(endpoint: ReportEndpoint): Promise<void> {
    this.#platform.reports = REPORT_ENDPOINTS[endpoint];
    for (let report = 0; report < this.#options.reports; report += 1) {
      const type = report % 2 === 0 ? 'report.rake.fetch' : 'report.ad-hoc.fetch';
      this.#service.caller.publish(type, PERIOD, { messageId: randomUUID() });
    }
    await until('reports reach the platform', () => this.#platform.mostReports > 0);
  }

  /** Takes the queued reports away, lets those in hand end, and waits until both reports are served again. */
  async #calm(): Promise<void> {
    this.#platform.heal();
    await until(
      'no report is left',
      async () => {
        for (const queue of this.#reportQueues()) await this.#service.caller.channel.purgeQueue(queue);
        const { reports } = (await this.#worker.health()).bus.lanes;
        return reports?.state === 'consuming' && reports.inHand === 0 && (await this.#reportsWaiting()) === 0;
      },
      CALM_TIMEOUT_MS,
    );
    for (const type of ['report.rake.fetch', 'report.ad-hoc.fetch']) {
      const replies = this.#service.caller.repliesTo(type, CALM_TIMEOUT_MS);
      this.#service.caller.publish(type, PERIOD, { messageId: randomUUID(), correlationId: type });
      await replies;
    }
  }

  #reportQueues(): readonly string[] {
    const rungs = VARIABLES.REPORTS_RETRY_DELAYS_MS.split(',').map((delayMs) => `reports.retry.${delayMs}`);
    return ['reports', ...rungs].map((queue) => this.#service.name(queue));
  }

  async #reportsWaiting(): Promise<number> {
    let waiting = 0;
    for (const queue of this.#reportQueues()) {
      waiting += (await this.#service.caller.channel.checkQueue(queue)).messageCount;
    }
    return waiting;
  }
}

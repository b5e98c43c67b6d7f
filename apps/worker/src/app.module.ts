import { randomUUID } from 'node:crypto';

import { type DynamicModule, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { IdempotencyStore, type MessagingOptions, PokerTransport } from '#messaging';
import {
  type OperatorCredentials,
  PlatformClients,
  PlatformModule,
  type PlatformModuleOptions,
} from '#platform';
import type { Settings } from '#settings';
import { type Logger, Metrics } from '#telemetry';

import { isLaneServed, lanePauseMs } from './lane-pause.ts';
import { HANDLERS } from './commands/handlers.ts';
import { PassErrorsFilter } from './commands/pass-errors.filter.ts';
import { REPORT_SETTINGS, type ReportSettings } from './commands/report-fetch/report-settings.ts';
import { BusHealth } from './health/bus.health.ts';
import { CircuitHealth } from './health/circuit.health.ts';
import { HealthController } from './health/health.controller.ts';
import { MetricsController } from './health/metrics.controller.ts';
import { ProcessHealth } from './health/process.health.ts';
import { RedisHealth } from './health/redis.health.ts';
import { idempotencyOf } from './idempotency-of.ts';
import { BusObserver } from './observers/bus-observer.ts';
import { PlatformMetrics } from './observers/platform-metrics.ts';

export interface AppOptions {
  readonly settings: Settings;
  readonly operators: readonly OperatorCredentials[];
  readonly logger: Logger;
  /** What stands on the broker differs from the topology of this version. */
  readonly onMismatch: (error: Error) => void;
}

/** The composition root: the one file that knows every lib and binds each port to its adapter. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  readonly #idempotency: IdempotencyStore;

  constructor(idempotency: IdempotencyStore) {
    this.#idempotency = idempotency;
  }

  static create(options: AppOptions): DynamicModule {
    const metrics = new Metrics();
    const idempotency = idempotencyOf(options.settings, options.logger);
    return {
      module: AppModule,
      imports: [
        TerminusModule.forRoot({ logger: false }),
        PlatformModule.forRootAsync({ useFactory: () => platformOptions(options, metrics) }),
      ],
      controllers: [...new Set(Object.values(HANDLERS)), HealthController, MetricsController],
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: IdempotencyStore, useValue: idempotency },
        {
          provide: PokerTransport,
          inject: [PlatformClients],
          useFactory: (platform: PlatformClients) =>
            new PokerTransport(messagingOptions(options, platform, idempotency, metrics)),
        },
        { provide: REPORT_SETTINGS, useValue: reportSettings(options.settings) },
        { provide: APP_FILTER, useClass: PassErrorsFilter },
        ...HEALTH,
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#idempotency.close();
  }
}

const HEALTH: Provider[] = [ProcessHealth, BusHealth, CircuitHealth, RedisHealth];

function platformOptions(
  { settings, operators, logger }: AppOptions,
  metrics: Metrics,
): PlatformModuleOptions {
  return {
    operators,
    limits: {
      attemptTimeoutMs: settings.PLATFORM_ATTEMPT_TIMEOUT_MS,
      maxAttempts: settings.PLATFORM_MAX_ATTEMPTS,
      connections: settings.PLATFORM_CONNECTIONS,
      queue: settings.PLATFORM_QUEUE,
      circuit: {
        failureRate: settings.CIRCUIT_FAILURE_RATE,
        minimumCalls: settings.CIRCUIT_MINIMUM_CALLS,
        windowMs: settings.CIRCUIT_WINDOW_MS,
        openMs: settings.CIRCUIT_OPEN_MS,
      },
    },
    observer: new PlatformMetrics(logger, metrics),
  };
}

function messagingOptions(
  { settings, logger, onMismatch }: AppOptions,
  platform: PlatformClients,
  idempotency: IdempotencyStore,
  metrics: Metrics,
): MessagingOptions {
  return {
    urls: settings.AMQP_URL,
    prefix: settings.AMQP_PREFIX,
    lanes: settings.LANES,
    prefetch: { interactive: settings.INTERACTIVE_PREFETCH, reports: settings.REPORTS_PREFETCH },
    budgetMs: { interactive: settings.INTERACTIVE_DEADLINE_MS, reports: settings.REPORTS_DEADLINE_MS },
    maxCommandBytes: settings.MAX_COMMAND_BYTES,
    deliveryLimit: settings.DELIVERY_LIMIT,
    retryDelaysMs: settings.REPORTS_RETRY_DELAYS_MS,
    stallMs: settings.REPORTS_STALL_MS,
    events: settings.EVENTS,
    graceMs: settings.SHUTDOWN_GRACE_MS,
    pauseMs: (lane) => lanePauseMs(lane, platform.circuits(), Date.now()),
    isServed: (lane) => isLaneServed(lane, platform.circuits(), Date.now()),
    hasOperator: (name) => platform.get(name) !== undefined,
    idempotency,
    observer: new BusObserver(logger, metrics),
    onMismatch,
    nowMs: Date.now,
    random: Math.random,
    newId: randomUUID,
  };
}

function reportSettings(settings: Settings): ReportSettings {
  return { perPage: settings.REPORTS_PER_PAGE, precisions: settings.CURRENCY_PRECISIONS ?? new Map() };
}

import { type DynamicModule, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { MessagingModule, type MessagingModuleOptions } from '#messaging';
import { type OperatorCredentials, PlatformClients, type PlatformLimits } from '#platform';
import type { Settings } from '#settings';
import { type Logger, Metrics } from '#telemetry';

import { isLaneServed, lanePauseMs } from './lane-pause.ts';
import { HANDLERS } from './commands/handlers.ts';
import { PassErrorsFilter } from './commands/pass-errors.filter.ts';
import { REPORT_SETTINGS, type ReportSettings } from './commands/report-fetch/report-settings.ts';
import { AllCallers, CallersFile } from './callers.ts';
import { BusHealth } from './health/bus.health.ts';
import { CircuitHealth } from './health/circuit.health.ts';
import { HealthController } from './health/health.controller.ts';
import { MetricsController } from './health/metrics.controller.ts';
import { ProcessHealth } from './health/process.health.ts';
import { RedisHealth } from './health/redis.health.ts';
import { BusObserver } from './observers/bus-observer.ts';
import { PlatformMetrics } from './observers/platform-metrics.ts';
import { internalKeyOf } from './settings/internal-key.ts';

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
  readonly #platform: PlatformClients;

  constructor(platform: PlatformClients) {
    this.#platform = platform;
  }

  static create(options: AppOptions): DynamicModule {
    const metrics = new Metrics();
    const platform = new PlatformClients(
      options.operators,
      limitsOf(options.settings),
      new PlatformMetrics(options.logger, metrics),
    );
    return {
      module: AppModule,
      imports: [
        TerminusModule.forRoot({ logger: false }),
        MessagingModule.forRoot(messagingOptions(options, platform, metrics)),
      ],
      controllers: [...new Set(Object.values(HANDLERS)), HealthController, MetricsController],
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: PlatformClients, useValue: platform },
        { provide: REPORT_SETTINGS, useValue: reportSettings(options.settings) },
        { provide: APP_FILTER, useClass: PassErrorsFilter },
        ...HEALTH,
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#platform.close();
  }
}

const HEALTH: Provider[] = [ProcessHealth, BusHealth, CircuitHealth, RedisHealth];

function limitsOf(settings: Settings): PlatformLimits {
  return {
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
  };
}

function messagingOptions(
  { settings, operators, logger, onMismatch }: AppOptions,
  platform: PlatformClients,
  metrics: Metrics,
): MessagingModuleOptions {
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
    callers:
      settings.CALLERS_FILE === undefined ? new AllCallers() : new CallersFile(settings.CALLERS_FILE, logger),
    internalKey: internalKeyOf(settings.INTERNAL_KEY, operators),
    idempotencyTtlMs: settings.IDEMPOTENCY_TTL_MS,
    redisUrl: settings.REDIS_URL,
    observer: new BusObserver(logger, metrics),
    onMismatch,
  };
}

function reportSettings(settings: Settings): ReportSettings {
  return { perPage: settings.REPORTS_PER_PAGE, precisions: settings.CURRENCY_PRECISIONS ?? new Map() };
}

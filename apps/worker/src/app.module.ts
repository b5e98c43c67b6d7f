import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import {
  type CallerPolicy,
  type InternalKeys,
  MessagingModule,
  type MessagingModuleOptions,
  MessagingObserver,
} from '#messaging';
import {
  type OperatorCredentials,
  PlatformClients,
  PlatformModule,
  type PlatformModuleOptions,
  PlatformObserver,
} from '#platform';
import type { Settings } from '#settings';
import type { Logger } from '#telemetry';

import { isLaneServed, lanePauseMs } from './lane-pause.ts';
import { HANDLERS } from './commands/handlers.ts';
import { PassErrorsFilter } from './commands/pass-errors.filter.ts';
import { REPORT_SETTINGS, type ReportSettings } from './commands/report-fetch/report-settings.ts';
import { BusHealth } from './health/bus.health.ts';
import { CircuitHealth } from './health/circuit.health.ts';
import { CompartmentHealth } from './health/compartment.health.ts';
import { HealthController } from './health/health.controller.ts';
import { MetricsController } from './health/metrics.controller.ts';
import { ProcessHealth } from './health/process.health.ts';
import { RedisHealth } from './health/redis.health.ts';
import { ObserversModule } from './observers/observers.module.ts';
import type { TlsContexts } from './settings/tls-contexts.ts';

export interface AppOptions {
  readonly settings: Settings;
  /** At first; `PlatformClients` takes others. */
  readonly operators: readonly OperatorCredentials[];
  readonly internalKeys: InternalKeys;
  readonly tls: TlsContexts;
  readonly callers: CallerPolicy;
  readonly logger: Logger;
  /** What stands on the broker differs from the topology of this version. */
  readonly onMismatch: (error: Error) => void;
}

/** The composition root: the one file that knows every lib, and says what each of their modules is given. */
@Module({})
export class AppModule {
  static create(options: AppOptions): DynamicModule {
    const observers = ObserversModule.for(options.logger);
    const platform = PlatformModule.forRootAsync({
      imports: [observers],
      inject: [PlatformObserver],
      useFactory: (observer: PlatformObserver) => platformOptions(options, observer),
    });
    const messaging = MessagingModule.forRootAsync({
      imports: [observers, platform],
      inject: [PlatformClients, MessagingObserver],
      useFactory: (clients: PlatformClients, observer: MessagingObserver) =>
        messagingOptions(options, clients, observer),
    });
    return {
      module: AppModule,
      imports: [TerminusModule.forRoot({ logger: false }), observers, platform, messaging],
      controllers: [...new Set(Object.values(HANDLERS)), HealthController, MetricsController],
      providers: [
        { provide: REPORT_SETTINGS, useValue: reportSettings(options.settings) },
        { provide: APP_FILTER, useClass: PassErrorsFilter },
        ...HEALTH,
      ],
    };
  }
}

const HEALTH: Provider[] = [ProcessHealth, BusHealth, CircuitHealth, CompartmentHealth, RedisHealth];

function platformOptions(
  { settings, operators, tls }: AppOptions,
  observer: PlatformObserver,
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
    transport: { tls: tls.PLATFORM, proxyUrl: settings.PLATFORM_PROXY_URL },
    observer,
  };
}

function messagingOptions(
  { settings, internalKeys, tls, callers, onMismatch }: AppOptions,
  platform: PlatformClients,
  observer: MessagingObserver,
): MessagingModuleOptions {
  return {
    urls: settings.AMQP_URL,
    tls: tls.AMQP,
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
    callers,
    internalKeys,
    idempotencyTtlMs: settings.IDEMPOTENCY_TTL_MS,
    redisUrl: settings.REDIS_URL,
    redisTls: tls.REDIS,
    observer,
    onMismatch,
  };
}

function reportSettings(settings: Settings): ReportSettings {
  return { perPage: settings.REPORTS_PER_PAGE, precisions: settings.CURRENCY_PRECISIONS ?? new Map() };
}

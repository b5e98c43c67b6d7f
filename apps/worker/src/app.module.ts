import { createSecretKey } from 'node:crypto';

import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { busNames } from '#contracts';
import {
  type CallerPolicy,
  type InternalKeys,
  MessagingModule,
  type MessagingModuleOptions,
  type MessagingObserver,
} from '#messaging';
import {
  type OperatorCredentials,
  type PlatformClientOptions,
  PlatformClients,
  type PlatformObserver,
} from '#platform';
import { steadyClock } from '#resilience';
import type { Settings } from '#settings';
import { type Logger, Metrics, subjectOf } from '#telemetry';

import { ConsoleController } from './console/console.controller.ts';
import { CONSOLE_SETTINGS, ConsoleFeed } from './console/console-feed.ts';
import { FailureTally } from './console/failure-tally.ts';
import { HANDLERS, PassErrorsFilter } from './commands/handlers.ts';
import { REPORTS_PER_PAGE } from './commands/report-fetch/report-fetch.controller.ts';
import { HealthController, MetricsController } from './health/health.controller.ts';
import { BusObserver } from './observers/bus-observer.ts';
import { PlatformMetrics } from './observers/platform-metrics.ts';
import { StateMetrics } from './observers/state-metrics.ts';
import { reportsPause } from './platform-state.ts';
import type { TlsContexts } from './settings/reloaded-settings.ts';
import type { Traces } from './traces/traces.ts';

export interface AppOptions {
  readonly settings: Settings;
  /** The first ones; `PlatformClients` takes others later. */
  readonly operators: readonly OperatorCredentials[];
  readonly internalKeys: InternalKeys;
  readonly tls: TlsContexts;
  readonly callers: CallerPolicy;
  readonly logger: Logger;
  readonly traces: Traces | undefined;
  /** Called if the broker has a topology that differs from the one of this version. */
  readonly onMismatch: (mismatch: string) => void;
}

/** The composition root: the one file that knows every lib, and says what each of their modules is given. */
@Module({})
export class AppModule {
  static create(options: AppOptions): DynamicModule {
    const { logger, settings } = options;
    const metrics = new Metrics();
    const tally = new FailureTally();
    const { lanes, quarantine } = busNames(settings.AMQP_PREFIX);
    const observer = new BusObserver(logger, metrics, tally, [...Object.values(lanes), quarantine]);
    const clients = new PlatformClients(
      options.operators,
      clientOptions(options, new PlatformMetrics(logger, metrics, tally)),
    );
    return {
      module: AppModule,
      imports: [
        TerminusModule.forRoot({ logger: false }),
        MessagingModule.forRoot(messagingOptions(options, clients, observer)),
      ],
      controllers: [
        ...new Set(Object.values(HANDLERS)),
        HealthController,
        MetricsController,
        ConsoleController,
      ],
      providers: [
        { provide: PlatformClients, useValue: clients },
        { provide: Metrics, useValue: metrics },
        { provide: FailureTally, useValue: tally },
        { provide: CONSOLE_SETTINGS, useValue: settings },
        { provide: REPORTS_PER_PAGE, useValue: settings.REPORTS_PER_PAGE },
        { provide: APP_FILTER, useClass: PassErrorsFilter },
        ConsoleFeed,
        StateMetrics,
      ],
    };
  }
}

function clientOptions(
  { settings, tls, traces }: AppOptions,
  observer: PlatformObserver,
): PlatformClientOptions {
  return {
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
    tracer: traces?.platform,
  };
}

function messagingOptions(
  { settings, internalKeys, tls, callers, traces, onMismatch }: AppOptions,
  platform: PlatformClients,
  observer: MessagingObserver,
): MessagingModuleOptions {
  const { LOG_SUBJECT_KEY: key } = settings;
  const subjectKey = key === undefined ? undefined : createSecretKey(key, 'utf8');
  return {
    settings,
    tls: tls.AMQP,
    reportsPause: () => reportsPause(platform.circuits(), platform.operators().length, steadyClock()),
    clientOf: (operator) => platform.get(operator),
    callers,
    subjectOf: subjectKey === undefined ? undefined : (...names) => subjectOf(subjectKey, ...names),
    internalKeys,
    redisTls: tls.REDIS,
    observer,
    tracer: traces?.commands,
    onMismatch,
  };
}

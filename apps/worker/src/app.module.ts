import { createSecretKey } from 'node:crypto';

import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { busNames } from '#contracts';
import { MessagingModule, type MessagingOptions } from '#messaging';
import { type OperatorCredentials, PlatformClients, type PlatformLimits } from '#platform';
import { steadyClock } from '#resilience';
import type { SettingName, Settings } from '#settings';
import { type Logger, Metrics, subjectOf } from '#telemetry';

import { ConsoleController } from './console/console.controller.ts';
import { ConsoleFeed } from './console/console-feed.ts';
import { FailureTally } from './console/failure-tally.ts';
import { CONTROLLERS, PassErrorsFilter } from './commands/handlers.ts';
import { HealthController, MetricsController } from './health/health.controller.ts';
import { busObserver, platformObserver } from './observers/observers.ts';
import { reportsLimit } from './platform-state.ts';
import type { TlsContexts } from './settings/reloaded-settings.ts';
import type { Traces } from './traces/traces.ts';

/** Settings that controllers and providers inject by name. */
const INJECTED = ['AMQP_PREFIX', 'LANES', 'REPORTS_PER_PAGE'] as const satisfies readonly SettingName[];

export interface AppOptions extends Pick<MessagingOptions, 'callers' | 'internalKeys' | 'onMismatch'> {
  readonly settings: Settings;
  /** The operators at startup; `PlatformClients` receives later changes. */
  readonly operators: readonly OperatorCredentials[];
  readonly tls: TlsContexts;
  readonly logger: Logger;
  readonly traces: Traces | undefined;
}

/** The composition root: the only file that imports every lib and passes each module its options. */
@Module({})
export class AppModule {
  static create({ logger, operators, settings, tls, traces, ...bus }: AppOptions): DynamicModule {
    const metrics = new Metrics();
    const tally = new FailureTally();
    const { lanes, quarantine } = busNames(settings.AMQP_PREFIX);
    const platform = new PlatformClients(operators, {
      limits: limitsOf(settings),
      transport: { tls: tls.PLATFORM, proxyUrl: settings.PLATFORM_PROXY_URL },
      observer: platformObserver(logger, metrics, tally),
      tracer: traces?.platform,
    });
    const subjectKey = settings.LOG_SUBJECT_KEY && createSecretKey(settings.LOG_SUBJECT_KEY, 'utf8');
    const messaging = MessagingModule.forRoot({
      ...bus,
      settings,
      tls: tls.AMQP,
      redisTls: tls.REDIS,
      reportsLimit: () => reportsLimit(platform.operations(), platform.operators().length, steadyClock()),
      clientOf: platform.get,
      subjectOf: subjectKey ? (...names) => subjectOf(subjectKey, ...names) : undefined,
      observer: busObserver(logger, metrics, tally, [...Object.values(lanes), quarantine]),
      tracer: traces?.commands,
    });
    return {
      module: AppModule,
      imports: [TerminusModule.forRoot({ logger: false }), messaging],
      controllers: [...CONTROLLERS, HealthController, MetricsController, ConsoleController],
      providers: [
        { provide: PlatformClients, useValue: platform },
        { provide: Metrics, useValue: metrics },
        { provide: FailureTally, useValue: tally },
        ...INJECTED.map((provide) => ({ provide, useValue: settings[provide] })),
        { provide: APP_FILTER, useClass: PassErrorsFilter },
        ConsoleFeed,
      ],
    };
  }
}

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

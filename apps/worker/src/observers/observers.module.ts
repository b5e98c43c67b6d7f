import { type DynamicModule, Module } from '@nestjs/common';

import { MessagingObserver } from '#messaging';
import { PlatformObserver } from '#platform';
import { type Logger, Metrics } from '#telemetry';

import { FailureTally } from '../console/failure-tally.ts';
import { BusObserver } from './bus-observer.ts';
import { PlatformMetrics } from './platform-metrics.ts';

/** Binds what messaging and platform tell to the log, the metrics and the console of this process. */
@Module({})
export class ObserversModule {
  static for(logger: Logger): DynamicModule {
    const metrics = new Metrics();
    const tally = new FailureTally();
    return {
      module: ObserversModule,
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: FailureTally, useValue: tally },
        { provide: MessagingObserver, useValue: new BusObserver(logger, metrics, tally) },
        { provide: PlatformObserver, useValue: new PlatformMetrics(logger, metrics, tally) },
      ],
      exports: [Metrics, FailureTally, MessagingObserver, PlatformObserver],
    };
  }
}

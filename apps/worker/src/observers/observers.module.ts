import { type DynamicModule, Module } from '@nestjs/common';

import { MessagingObserver } from '#messaging';
import { PlatformObserver } from '#platform';
import { type Logger, Metrics } from '#telemetry';

import { BusObserver } from './bus-observer.ts';
import { PlatformMetrics } from './platform-metrics.ts';

/** Binds what messaging and platform tell to the log and the metrics of this process. */
@Module({})
export class ObserversModule {
  static for(logger: Logger): DynamicModule {
    const metrics = new Metrics();
    return {
      module: ObserversModule,
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: MessagingObserver, useValue: new BusObserver(logger, metrics) },
        { provide: PlatformObserver, useValue: new PlatformMetrics(logger, metrics) },
      ],
      exports: [Metrics, MessagingObserver, PlatformObserver],
    };
  }
}

import { type DynamicModule, Module } from '@nestjs/common';

import { busNames } from '#contracts';
import { MessagingObserver } from '#messaging';
import { PlatformObserver } from '#platform';
import { type Logger, Metrics } from '#telemetry';

import { FailureTally } from '../console/failure-tally.ts';
import { BusObserver } from './bus-observer.ts';
import { PlatformMetrics } from './platform-metrics.ts';

/** Binds what messaging and platform tell to the log, the metrics and the console of this process. */
@Module({})
export class ObserversModule {
  /** @param prefix what the names of the queues begin with (setting `AMQP_PREFIX`) */
  static for(logger: Logger, prefix: string): DynamicModule {
    const metrics = new Metrics();
    const tally = new FailureTally();
    const { lanes, quarantine } = busNames(prefix);
    const consumed = [...Object.values(lanes), quarantine];
    return {
      module: ObserversModule,
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: FailureTally, useValue: tally },
        { provide: MessagingObserver, useValue: new BusObserver(logger, metrics, tally, consumed) },
        { provide: PlatformObserver, useValue: new PlatformMetrics(logger, metrics, tally) },
      ],
      exports: [Metrics, FailureTally, MessagingObserver, PlatformObserver],
    };
  }
}

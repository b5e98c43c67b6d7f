import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';

import { COMMAND_TYPES, type Lane, LANE_OF_COMMAND } from '#contracts';
import { type QueueOverview, PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { consoleView } from './console-view.ts';
import { FailureTally } from './failure-tally.ts';
import { STEP_MS, TypeHistory } from './history.ts';
import { Viewers } from './viewers.ts';

/**
 * Sends the state of the worker to each viewer of the console every second. The history of the last hour
 * samples the metric counters every five seconds, even without a viewer. The broker is polled every five
 * seconds, but only while there is a viewer.
 */
@Injectable()
export class ConsoleFeed implements OnModuleDestroy {
  readonly viewers = new Viewers(() => this.#view());
  readonly #types: readonly TypeHistory[];
  readonly #sampling: NodeJS.Timeout;
  #overview: QueueOverview | undefined;
  #countedAtMs = -STEP_MS;

  constructor(
    metrics: Metrics,
    private readonly platform: PlatformClients,
    private readonly transport: PokerTransport,
    private readonly tally: FailureTally,
    @Inject('AMQP_PREFIX') private readonly prefix: string,
    @Inject('LANES') lanes: readonly Lane[],
  ) {
    const types = COMMAND_TYPES.filter((type) => lanes.includes(LANE_OF_COMMAND[type]));
    this.#types = types.map((type) => new TypeHistory(type));
    const sample = (): void => this.#types.forEach((type) => type.add(metrics, Date.now()));
    this.#sampling = setInterval(sample, STEP_MS).unref();
    sample();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sampling);
    this.viewers.close();
  }

  #view() {
    const { prefix, platform, tally } = this;
    this.#countIfDue();
    return consoleView({
      prefix,
      bus: this.transport.health,
      overview: this.#overview,
      circuits: platform.operations(),
      operators: platform.operators(),
      platform,
      tally,
      types: this.#types.flatMap(({ figures }) => figures ?? []),
    });
  }

  #countIfDue(): void {
    const nowMs = performance.now();
    if (nowMs - this.#countedAtMs < STEP_MS) return;
    this.#countedAtMs = nowMs;
    const keep = (overview?: QueueOverview): void => void (this.#overview = overview);
    this.transport.queueOverview().then(keep, () => keep());
  }
}

import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';

import { COMMAND_TYPES, LANE_OF_COMMAND } from '#contracts';
import { type BusLook, PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';
import type { Settings } from '#settings';
import { Metrics } from '#telemetry';

import { consoleView } from './console-view.ts';
import { FailureTally } from './failure-tally.ts';
import { History, STEP_MS } from './history.ts';
import { Viewers } from './viewers.ts';

/** Injects the settings that the console shows. */
export const CONSOLE_SETTINGS = Symbol('console settings');

/**
 * What the console shows, sent to each viewer every second. While nobody looks, only the counters of the metrics are
 * read, every five seconds, for the last hour; the broker is asked as often, and only while somebody looks.
 */
@Injectable()
export class ConsoleFeed implements OnModuleDestroy {
  readonly viewers = new Viewers(() => this.#view());
  readonly #prefix: string;
  readonly #history: History;
  readonly #sampling: NodeJS.Timeout;
  #look: BusLook | undefined;
  #lookedAtMs = -STEP_MS;

  constructor(
    private readonly metrics: Metrics,
    private readonly platform: PlatformClients,
    private readonly transport: PokerTransport,
    private readonly tally: FailureTally,
    @Inject(CONSOLE_SETTINGS) { AMQP_PREFIX: prefix, LANES: lanes }: Pick<Settings, 'AMQP_PREFIX' | 'LANES'>,
  ) {
    this.#prefix = prefix;
    this.#history = new History(COMMAND_TYPES.filter((type) => lanes.includes(LANE_OF_COMMAND[type])));
    const sample = (): void => this.#history.add(this.metrics, Date.now());
    this.#sampling = setInterval(sample, STEP_MS).unref();
    sample();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sampling);
    this.viewers.close();
  }

  #view() {
    const { platform } = this;
    const { seconds, types } = this.#history;
    this.#lookIfDue();
    return consoleView({
      prefix: this.#prefix,
      bus: this.transport.health,
      look: this.#look,
      circuits: platform.circuits(),
      operators: platform.operators(),
      platform,
      tally: this.tally,
      seconds,
      types,
    });
  }

  #lookIfDue(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < STEP_MS) return;
    this.#lookedAtMs = nowMs;
    const keep = (look?: BusLook): void => void (this.#look = look);
    this.transport.look().then(keep, () => keep());
  }
}

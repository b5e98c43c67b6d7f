import type { ServerResponse } from 'node:http';
import { hostname } from 'node:os';

import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { COMMAND_TYPES, LANE_OF_COMMAND } from '#contracts';
import { IdempotencyStore, PokerTransport, RedisIdempotencyStore } from '#messaging';
import { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { consoleView } from './console-view.ts';
import { CONSOLE_SETTINGS, type ConsoleSettings } from './console-settings.ts';
import { readCounts } from './counts.ts';
import { FailureTally } from './failure-tally.ts';
import { History, STEP_MS } from './history.ts';
import { Viewers } from './viewers.ts';

/** How often viewers are told of the present. */
const LIVE_MS = 1_000;

/**
 * What the console shows, sent to those who look: first the last hour, then the present each second. While nobody looks,
 * only the counters of the metrics are read, every five seconds, for that hour.
 */
@Injectable()
export class ConsoleFeed implements OnModuleInit, OnModuleDestroy {
  readonly viewers = new Viewers((count) => this.#look(count > 0));
  readonly #metrics: Metrics;
  readonly #platform: PlatformClients;
  readonly #transport: PokerTransport;
  readonly #store: IdempotencyStore;
  readonly #tally: FailureTally;
  readonly #history: History;
  #sampling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(
    metrics: Metrics,
    platform: PlatformClients,
    transport: PokerTransport,
    store: IdempotencyStore,
    tally: FailureTally,
    @Inject(CONSOLE_SETTINGS) { lanes }: ConsoleSettings,
  ) {
    this.#metrics = metrics;
    this.#platform = platform;
    this.#transport = transport;
    this.#store = store;
    this.#tally = tally;
    this.#history = new History(COMMAND_TYPES.filter((type) => lanes.includes(LANE_OF_COMMAND[type])));
  }

  onModuleInit(): void {
    this.#sampling = setInterval(() => this.#sample(), STEP_MS).unref();
    this.#sample();
  }

  onModuleDestroy(): void {
    clearInterval(this.#sampling);
    this.viewers.close();
  }

  /** Streams to one more viewer, if there is room. */
  watch(response: ServerResponse): void {
    if (!this.viewers.admit(response)) return;
    const lanes = this.#transport.health.lanes.map(({ lane }) => lane);
    const { types, points } = this.#history;
    this.viewers.tell(response, 'history', { host: hostname(), lanes, types, points });
    this.viewers.tell(response, 'now', this.#view());
  }

  #look(hasViewers: boolean): void {
    if (!hasViewers) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    } else this.#looking ??= setInterval(() => this.viewers.tellAll('now', this.#view()), LIVE_MS).unref();
  }

  #sample(): void {
    const counts = readCounts(this.#metrics, Date.now());
    this.#history.add(
      counts,
      this.#transport.health.lanes.map(({ inFlight }) => inFlight),
    );
  }

  #view() {
    const store = this.#store;
    const view = consoleView({
      health: this.#transport.health,
      platform: this.#platform,
      tally: this.#tally,
      redis: store instanceof RedisIdempotencyStore ? store.state : undefined,
      lastMinute: this.#history.lastMinute,
    });
    return { ...view, point: this.#history.points.at(-1) };
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';

import {
  type ConsumerState,
  IdempotencyStore,
  type MessagingHealth,
  PokerTransport,
  RedisIdempotencyStore,
} from '#messaging';
import { type CallsReport, type CircuitReport, type CircuitState, PlatformClients } from '#platform';
import { Metrics, type StateReading } from '#telemetry';

import { type CompartmentReport, compartmentsOf } from '../compartments.ts';
import { isServing } from '../health/health.controller.ts';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };
const LANE_STATES = Object.keys({
  'waiting for the broker': true,
  consuming: true,
  paused: true,
  draining: true,
  stopped: true,
} satisfies Record<ConsumerState, true>);

/** What a scrape shows. */
interface State {
  readonly health: MessagingHealth;
  readonly circuits: readonly CircuitReport[];
  readonly calls: readonly CallsReport[];
  readonly compartments: readonly CompartmentReport[];
}

/**
 * Shows the state of the bus and of the calls to the platform in the metrics, read at each scrape: a circuit that never
 * changed is closed, and has a series too; an operator that is no longer configured has none.
 */
@Injectable()
export class StateMetrics implements OnModuleInit {
  readonly #metrics: Metrics;
  readonly #transport: PokerTransport;
  readonly #platform: PlatformClients;
  readonly #store: IdempotencyStore;
  readonly #known = new Set<string>();
  #state: State | undefined;

  constructor(
    metrics: Metrics,
    transport: PokerTransport,
    platform: PlatformClients,
    store: IdempotencyStore,
  ) {
    this.#metrics = metrics;
    this.#transport = transport;
    this.#platform = platform;
    this.#store = store;
  }

  onModuleInit(): void {
    const store = this.#store;
    const { connections, queue } = this.#platform.limits;
    const now = (): State => this.#gathered();
    showBus(this.#metrics, now);
    showCalls(this.#metrics, now);
    showCompartments(this.#metrics, now);
    this.#metrics.admissionInFlightLimit.readBy(() => [{ value: connections }]);
    this.#metrics.admissionWaitingLimit.readBy(() => [{ value: queue }]);
    if (store instanceof RedisIdempotencyStore)
      this.#metrics.redisConnected.readBy(() => [{ value: store.state.kind === 'available' ? 1 : 0 }]);
  }

  /** Gathered once for all metrics of a scrape: a registry reads them one after the other, without a wait between. */
  #gathered(): State {
    if (this.#state) return this.#state;
    const { health } = this.#transport;
    const calls = this.#platform.calls();
    this.#state = {
      health,
      calls,
      circuits: this.#platform.circuits(),
      compartments: compartmentsOf(health, {
        calls: () => calls,
        get: (operator) => this.#platform.get(operator),
      }),
    };
    queueMicrotask(() => (this.#state = undefined));
    for (const circuit of this.#state.circuits) this.#beginAtZero(circuit);
    return this.#state;
  }

  /** A series that appears with its first event hides that event from `increase`. */
  #beginAtZero({ operator, operation }: CircuitReport): void {
    const name = `${operation} ${operator}`;
    if (this.#known.has(name)) return;
    this.#known.add(name);
    this.#metrics.signatureDoubts.inc({ operator, operation }, 0);
    for (const state of Object.keys(CIRCUIT_VALUES))
      this.#metrics.circuitChanges.inc({ operator, operation, state }, 0);
  }
}

function showBus({ ready, laneState, lanePrefetch, oldestCommandAge }: Metrics, now: () => State): void {
  const lanes = (): MessagingHealth['lanes'] => now().health.lanes;
  ready.readBy(() => [{ value: isServing(now().health) ? 1 : 0 }]);
  laneState.readBy(() =>
    lanes().flatMap((lane) =>
      LANE_STATES.map((state) => reading({ lane: lane.lane, state }, lane.state === state ? 1 : 0)),
    ),
  );
  lanePrefetch.readBy(() => lanes().map(({ lane, prefetch }) => reading({ lane }, prefetch)));
  oldestCommandAge.readBy(() =>
    lanes().map(({ lane, oldestAgeMs }) => reading({ lane }, oldestAgeMs / 1000)),
  );
}

function showCalls({ circuitState, admissionInFlight, retryBudget }: Metrics, now: () => State): void {
  circuitState.readBy(() => now().circuits.map((circuit) => of(circuit, CIRCUIT_VALUES[circuit.state])));
  admissionInFlight.readBy(() => now().calls.map((calls) => of(calls, calls.inFlight)));
  retryBudget.readBy(() => now().calls.map((calls) => of(calls, calls.retriesLeft)));
}

function showCompartments(metrics: Metrics, now: () => State): void {
  const read = (member: 'inFlight' | 'waiting' | 'overflowed') => (): StateReading[] =>
    now().compartments.map((compartment) => of(compartment, compartment[member]));
  metrics.compartmentInFlight.readBy(read('inFlight'));
  metrics.compartmentWaiting.readBy(read('waiting'));
  metrics.compartmentOverflowed.readBy(read('overflowed'));
}

function of({ operator, operation }: { operator: string; operation: string }, value: number): StateReading {
  return reading({ operator, operation }, value);
}

function reading(labels: Readonly<Record<string, string>>, value: number): StateReading {
  return { labels, value };
}

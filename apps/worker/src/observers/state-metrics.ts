import { Injectable } from '@nestjs/common';

import { type ConsumerState, PokerTransport } from '#messaging';
import { type CircuitReport, type CircuitState, PlatformClients } from '#platform';
import { Metrics, type Reading } from '#telemetry';

import { compartmentsOf } from '../platform-state.ts';
import { isServing } from '../health/health.controller.ts';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };
const LANE_STATES = Object.keys({
  'waiting for the broker': true,
  consuming: true,
  paused: true,
  draining: true,
  stopped: true,
} satisfies Record<ConsumerState, true>);

/**
 * Shows the state of the bus and of the calls to the platform in the metrics, read at each scrape: a circuit that never
 * changed is closed, and has a series too; an operator that is no longer configured has none.
 */
@Injectable()
export class StateMetrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly transport: PokerTransport,
    private readonly platform: PlatformClients,
  ) {
    this.#showBus();
    this.#showCalls();
    this.#showCompartments();
  }

  #showBus(): void {
    const { ready, laneState, lanePrefetch, oldestCommandAge, redisConnected } = this.metrics;
    const transport = this.transport;
    ready.readBy(() => [reading({}, isServing(transport.health) ? 1 : 0)]);
    const lanes = () => transport.health.lanes;
    laneState.readBy(() =>
      lanes().flatMap(({ lane, state: present }) =>
        LANE_STATES.map((state) => reading({ lane, state }, present === state ? 1 : 0)),
      ),
    );
    lanePrefetch.readBy(() => lanes().map(({ lane, prefetch }) => reading({ lane }, prefetch)));
    oldestCommandAge.readBy(() =>
      lanes().map(({ lane, oldestAgeMs }) => reading({ lane }, oldestAgeMs / 1000)),
    );
    redisConnected.readBy(() => {
      const { redis } = transport.health;
      return redis ? [reading({}, redis.kind === 'available' ? 1 : 0)] : [];
    });
  }

  #showCalls(): void {
    const metrics = this.metrics;
    const platform = this.platform;
    metrics.circuitState.readBy(() =>
      platform.circuits().map((circuit) => {
        this.#beginAtZero(circuit);
        return of(circuit, CIRCUIT_VALUES[circuit.state]);
      }),
    );
    metrics.admissionInFlight.readBy(() => platform.calls().map((calls) => of(calls, calls.inFlight)));
    metrics.retryBudget.readBy(() => platform.calls().map((calls) => of(calls, calls.retriesLeft)));
    metrics.admissionInFlightLimit.readBy(() => [reading({}, platform.limits.connections)]);
    metrics.admissionWaitingLimit.readBy(() => [reading({}, platform.limits.queue)]);
  }

  #showCompartments(): void {
    const read = (member: 'inFlight' | 'waiting' | 'overflowed') => (): Reading[] =>
      compartmentsOf(this.transport.health, this.platform).map((each) => of(each, each[member]));
    this.metrics.compartmentInFlight.readBy(read('inFlight'));
    this.metrics.compartmentWaiting.readBy(read('waiting'));
    this.metrics.compartmentOverflowed.readBy(read('overflowed'));
  }

  /** A series that appears with its first event hides that event from `increase`. A scrape reads these counters later. */
  #beginAtZero({ operator, operation }: CircuitReport): void {
    this.metrics.signatureDoubts.labels(operator, operation);
    for (const state of Object.keys(CIRCUIT_VALUES))
      this.metrics.circuitChanges.labels(operator, operation, state);
  }
}

function of({ operator, operation }: { operator: string; operation: string }, value: number): Reading {
  return reading({ operator, operation }, value);
}

function reading(labels: Reading['labels'], value: number): Reading {
  return { labels, value };
}

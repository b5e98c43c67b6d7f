import type { Compartment } from '#contracts';
import type { ConsumerState, PokerTransport } from '#messaging';
import type { CircuitReport, CircuitState, PlatformClients } from '#platform';
import type { Metrics, Reading } from '#telemetry';

import { compartmentsOf, isServing } from '../platform-state.ts';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };
const LANE_STATES = Object.keys({
  'waiting for the broker': true,
  consuming: true,
  paused: true,
  draining: true,
  stopped: true,
} satisfies Record<ConsumerState, true>);

/**
 * Updates the metrics of the bus and of platform calls at each scrape. A circuit that never changed has a
 * series as closed; an operator that is no longer configured has no series.
 */
export function showState(metrics: Metrics, transport: PokerTransport, platform: PlatformClients): void {
  const lanes = () => transport.health.lanes;
  metrics.ready.readBy(() => [reading(isServing(transport.health))]);
  metrics.laneState.readBy(() =>
    lanes().flatMap(({ lane, state: present }) =>
      LANE_STATES.map((state) => reading(present === state, { lane, state })),
    ),
  );
  metrics.lanePrefetch.readBy(() => lanes().map(({ lane, prefetch }) => reading(prefetch, { lane })));
  metrics.oldestCommandAge.readBy(() =>
    lanes().map(({ lane, oldestAgeMs }) => reading(oldestAgeMs / 1000, { lane })),
  );
  metrics.redisConnected.readBy(() => {
    const { redis } = transport.health;
    return redis ? [reading(redis.kind === 'available')] : [];
  });

  metrics.circuitState.readBy(() =>
    platform.operations().map((circuit) => {
      beginAtZero(metrics, circuit);
      return reading(CIRCUIT_VALUES[circuit.state], labelsOf(circuit));
    }),
  );
  const calls = () => platform.operations();
  metrics.admissionInFlight.readBy(() => calls().map((each) => reading(each.inFlight, labelsOf(each))));
  metrics.admissionLimit.readBy(() => calls().map((each) => reading(each.limit, labelsOf(each))));
  metrics.admissionOverloaded.readBy(() => calls().map((each) => reading(each.isOverloaded, labelsOf(each))));
  metrics.platformCapacity.readBy(() =>
    calls().flatMap((each) => (each.perSecond === undefined ? [] : reading(each.perSecond, labelsOf(each)))),
  );
  metrics.retryBudget.readBy(() => calls().map((each) => reading(each.retriesLeft, labelsOf(each))));
  metrics.admissionInFlightLimit.readBy(() => [reading(platform.limits.connections)]);
  metrics.admissionWaitingLimit.readBy(() => [reading(platform.limits.queue)]);

  const compartments = (member: 'inFlight' | 'waiting' | 'overflowed') => () =>
    Array.from(compartmentsOf(transport.health, platform).values(), (each) =>
      reading(each[member], labelsOf(each)),
    );
  metrics.compartmentInFlight.readBy(compartments('inFlight'));
  metrics.compartmentWaiting.readBy(compartments('waiting'));
  metrics.compartmentOverflowed.readBy(compartments('overflowed'));
}

/**
 * Creates the series of a circuit at zero. If a series appeared with its first event, `increase` would miss
 * that event. The same scrape reads these counters later.
 */
function beginAtZero({ signatureDoubts, circuitChanges }: Metrics, circuit: CircuitReport): void {
  const { operator, operation } = circuit;
  signatureDoubts.labels(operator, operation);
  for (const state of Object.keys(CIRCUIT_VALUES)) circuitChanges.labels(operator, operation, state);
}

function labelsOf({ operator, operation }: Compartment) {
  return { operator, operation };
}

function reading(value: number | boolean, labels: Reading['labels'] = {}): Reading {
  return { labels, value: Number(value) };
}

import { Controller, Get, Header } from '@nestjs/common';

import { PokerTransport } from '#messaging';
import { type CircuitState, PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { compartmentsOf } from '../compartments.ts';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** The metrics, in the text format of Prometheus. */
@Controller('metrics')
export class MetricsController {
  readonly #metrics: Metrics;
  readonly #platform: PlatformClients;
  readonly #transport: PokerTransport;

  constructor(metrics: Metrics, platform: PlatformClients, transport: PokerTransport) {
    this.#metrics = metrics;
    this.#platform = platform;
    this.#transport = transport;
  }

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  read(): Promise<string> {
    this.#readCircuits();
    this.#readCompartments();
    return this.#metrics.registry.metrics();
  }

  /** Read at each scrape, not updated by events: a circuit that never changed is closed, and has a series too. */
  #readCircuits(): void {
    // An operator that is no longer configured has none.
    this.#metrics.circuitState.reset();
    for (const { operator, operation, state } of this.#platform.circuits()) {
      this.#metrics.circuitState.set({ operator, operation }, CIRCUIT_VALUES[state]);
    }
  }

  #readCompartments(): void {
    const { compartmentInFlight, compartmentWaiting, compartmentOverflowed } = this.#metrics;
    for (const metric of [compartmentInFlight, compartmentWaiting, compartmentOverflowed]) metric.reset();
    for (const report of compartmentsOf(this.#transport.health, this.#platform)) {
      const { operator, operation, inFlight, waiting, overflowed } = report;
      compartmentInFlight.labels(operator, operation).value = inFlight;
      compartmentWaiting.labels(operator, operation).value = waiting;
      compartmentOverflowed.labels(operator, operation).value = overflowed;
    }
  }
}

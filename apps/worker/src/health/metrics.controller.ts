import { Controller, Get, Header } from '@nestjs/common';

import { type CircuitState, PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** The metrics, in the text format of Prometheus. */
@Controller('metrics')
export class MetricsController {
  readonly #metrics: Metrics;
  readonly #platform: PlatformClients;

  constructor(metrics: Metrics, platform: PlatformClients) {
    this.#metrics = metrics;
    this.#platform = platform;
  }

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  read(): Promise<string> {
    this.#readCircuits();
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
}

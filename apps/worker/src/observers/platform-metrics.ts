import { type AttemptResult, type CircuitState, type Operation, PlatformObserver } from '#platform';
import type { Logger, Metrics } from '#telemetry';

/** Counts the calls to the platform, and logs changes of its circuits. */
export class PlatformMetrics extends PlatformObserver {
  readonly #logger: Logger;
  readonly #metrics: Metrics;

  constructor(logger: Logger, metrics: Metrics) {
    super();
    this.#logger = logger;
    this.#metrics = metrics;
  }

  attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void {
    this.#metrics.platformRequests.labels(operation, result).value += 1;
    this.#metrics.platformRequestDuration.labels(operation, result).observe(durationMs / 1000);
  }

  retried(): void {
    this.#metrics.platformRetries.inc();
  }

  signatureDoubted(operator: string, operation: Operation): void {
    this.#metrics.signatureDoubts.inc({ operator, operation });
    this.#logger.warn({ operator, operation }, 'bad request; the signature may be wrong');
  }

  circuitChanged(operator: string, operation: Operation, state: CircuitState): void {
    this.#logger.warn({ operator, operation, state }, 'circuit changed');
  }
}

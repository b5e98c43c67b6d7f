import {
  type AttemptResult,
  type CircuitState,
  type Operation,
  PlatformObserver,
  type RefusalReason,
} from '#platform';
import type { Logger, Metrics } from '#telemetry';

import type { FailureTally } from '../console/failure-tally.ts';

/** Counts and times the calls to the platform, and logs changes of its circuits. */
export class PlatformMetrics extends PlatformObserver {
  readonly #logger: Logger;

  constructor(
    logger: Logger,
    private readonly metrics: Metrics,
    private readonly tally: FailureTally,
  ) {
    super();
    // Elsewhere a cause is a thrown value, which must not be logged as it is; here it is one of a closed list.
    this.#logger = logger.child({}, { serializers: { cause: (cause: string) => cause } });
  }

  attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void {
    this.metrics.platformRequests.labels(operation, result).value += 1;
    this.metrics.platformRequestDuration.labels(operation, result).observe(durationMs / 1000);
  }

  admissionWaited(operation: Operation, waitedMs: number): void {
    this.metrics.admissionWait.labels(operation).observe(waitedMs / 1000);
  }

  attemptRefused(operation: Operation, reason: RefusalReason): void {
    this.metrics.platformRefusals.labels(operation, reason).value += 1;
  }

  retried(): void {
    this.metrics.platformRetries.value += 1;
  }

  signatureDoubted(operator: string, operation: Operation): void {
    this.metrics.signatureDoubts.labels(operator, operation).value += 1;
    this.#logger.warn({ operator, operation }, 'bad request; the signature may be wrong');
  }

  circuitChanged(operator: string, operation: Operation, state: CircuitState, cause?: string): void {
    this.metrics.circuitChanges.labels(operator, operation, state).value += 1;
    this.tally.circuitChanged(operator, operation, state);
    this.#logger.warn({ operator, operation, state, cause }, 'circuit changed');
  }
}

import type { CircuitState } from '#resilience';

import type { Operation } from './operations.ts';
import type { StatusClass } from './transport/answer.ts';
import type { TransportFault } from './transport/transport-fault.ts';

/** How one attempt ended, as metrics show it: the class of its status, or what went wrong. */
export type AttemptResult = StatusClass | TransportFault | 'deadline';

/** A port: observes the calls to the platform. The worker binds it to its metrics. */
export abstract class PlatformObserver {
  abstract attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void;
  abstract retried(operation: Operation): void;
  /** An answer that may mean a wrong signature, though it does not say so. */
  abstract signatureDoubted(operator: string, operation: Operation): void;
  abstract circuitChanged(operator: string, operation: Operation, state: CircuitState): void;
}

/** Observes nothing. */
export class NoPlatformObserver extends PlatformObserver {
  override attemptEnded(): void {}
  override retried(): void {}
  override signatureDoubted(): void {}
  override circuitChanged(): void {}
}

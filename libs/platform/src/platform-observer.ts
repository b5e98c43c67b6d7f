import type { Context } from '@opentelemetry/api';

import type { Admittance, CircuitState } from '#resilience';

import type { Operation } from './operations/operation.ts';
import type { PlatformRequest } from './operations/request.ts';
import type { StatusClass, TransportFault } from './transport/connection.ts';

/** The result of one attempt in metrics: its status class, or the fault. */
export type AttemptResult = StatusClass | TransportFault | 'deadline';

/** The reason why a call was not made: open circuit, overload, expired deadline, or shutdown. */
export type RefusalReason = 'circuit-open' | Exclude<Admittance, 'admitted'>;

/** A port: observes the calls to the platform. The worker binds it to its metrics. */
export abstract class PlatformObserver {
  abstract attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void;
  /** Called when a call has stopped waiting for a connection, whether it was admitted or refused. */
  abstract admissionWaited(operation: Operation, waitedMs: number): void;
  abstract attemptRefused(operation: Operation, reason: RefusalReason): void;
  abstract retried(operation: Operation): void;
  /** Called for an answer that may indicate a wrong signature without stating it. */
  abstract signatureDoubted(operator: string, operation: Operation): void;
  /**
   * @param cause result of the last unhealthy call, such as `HTTP 503` or `timeout`; absent once the circuit
   *   is closed
   */
  abstract circuitChanged(
    operator: string,
    operation: Operation,
    state: CircuitState,
    cause: string | undefined,
  ): void;
}

/** A finished attempt for tracing. Contains no values: neither the query nor the values in the path. */
export interface AttemptFacts extends Pick<PlatformRequest, 'method' | 'pathTemplate'> {
  /** The URL that the path is relative to. */
  readonly root: string;
  /** Number of earlier attempts of the same call. */
  readonly resends: number;
  /** Start time, from `performance.now()`. */
  readonly startedAtMs: number;
  readonly result: AttemptResult;
  /** HTTP status of the answer; undefined without an answer. */
  readonly status: number | undefined;
}

/**
 * A port: traces the calls to the platform. The worker binds it to OpenTelemetry, if tracing is configured.
 */
export abstract class PlatformTracer {
  /** @param parent trace context of the command that caused the call */
  abstract attemptEnded(parent: Context, attempt: AttemptFacts): void;
}

import type { Context } from '@opentelemetry/api';

import type { Admittance, CircuitState } from '#resilience';

import type { Operation } from './operations/operation.ts';
import type { PlatformRequest } from './operations/request.ts';
import type { StatusClass, TransportFault } from './transport/connection.ts';

/** How one attempt ended, as metrics show it: the class of its status, or what went wrong. */
export type AttemptResult = StatusClass | TransportFault | 'deadline';

/** Why a call was not made: the circuit is open, the platform is overloaded, the deadline passed, or this process stops. */
export type RefusalReason = 'circuit-open' | Exclude<Admittance, 'admitted'>;

/** A port: observes the calls to the platform. The worker binds it to its metrics. */
export abstract class PlatformObserver {
  abstract attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void;
  /** A call had to wait for a connection, and got it or was refused. */
  abstract admissionWaited(operation: Operation, waitedMs: number): void;
  abstract attemptRefused(operation: Operation, reason: RefusalReason): void;
  abstract retried(operation: Operation): void;
  /** An answer that may mean a wrong signature, though it does not say so. */
  abstract signatureDoubted(operator: string, operation: Operation): void;
  /** @param cause what the last unhealthy call ended with, such as `HTTP 503` or `timeout`; absent once it is closed */
  abstract circuitChanged(
    operator: string,
    operation: Operation,
    state: CircuitState,
    cause: string | undefined,
  ): void;
}

/** One attempt of a call that has ended, without values: neither its query nor the values in its path. */
export interface AttemptFacts extends Pick<PlatformRequest, 'method' | 'pathTemplate'> {
  /** The address that its path is relative to. */
  readonly root: string;
  /** Attempts of the same call before. */
  readonly resends: number;
  /** By `performance.now()`. */
  readonly startedAtMs: number;
  readonly result: AttemptResult;
  /** Of the answer, if there was one. */
  readonly status: number | undefined;
}

/** A port: traces the calls to the platform. The worker binds it to OpenTelemetry, if that is configured. */
export abstract class PlatformTracer {
  /** @param parent of the command that is called for */
  abstract attemptEnded(parent: Context, attempt: AttemptFacts): void;
}

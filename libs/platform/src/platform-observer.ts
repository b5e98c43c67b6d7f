import type { Operation } from './operations.ts';

export type CircuitState = 'closed' | 'half-open' | 'open';

/** How one call ended, for metrics: the class of its status, or what went wrong. */
export type AttemptResult =
  | '2xx'
  | '3xx'
  | '4xx'
  | '5xx'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'too-large'
  | 'malformed'
  | 'deadline'
  | 'closed';

/** Who watches the calls to the platform: a port, which the worker binds to its metrics. */
export abstract class PlatformObserver {
  abstract attemptEnded(operation: Operation, result: AttemptResult, durationMs: number): void;
  abstract retried(operation: Operation): void;
  abstract circuitChanged(operator: string, operation: Operation, state: CircuitState): void;
}

/** Watches nothing. */
export class NoPlatformObserver extends PlatformObserver {
  override attemptEnded(): void {}
  override retried(): void {}
  override circuitChanged(): void {}
}

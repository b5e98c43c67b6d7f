import {
  type Admission,
  Circuit,
  type Clock,
  type Compartment,
  type Random,
  RetryBudget,
  type RetryRules,
} from '#resilience';

import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { PlatformObserver } from '../platform-observer.ts';
import type { PlatformLimits } from '../platform-settings.ts';

/** How the calls of one operation are protected. */
export interface OperationPolicy {
  readonly circuit: Circuit;
  readonly compartment: Compartment;
  readonly rules: RetryRules;
  lastUsedAtMs: number;
}

export interface OperationPoliciesOptions {
  /** The name of the operator. */
  readonly operator: string;
  readonly limits: Pick<PlatformLimits, 'maxAttempts' | 'circuit'>;
  readonly admission: Admission;
  readonly observer: PlatformObserver;
  readonly clock: Clock;
  readonly random: Random;
}

/** The policies of one operator: each operation has a circuit, a compartment and a retry budget of its own, created when first used. */
export class OperationPolicies {
  readonly #options: OperationPoliciesOptions;
  readonly #policies = new Map<Operation, OperationPolicy>();
  readonly #stopping = new AbortController();

  constructor(options: OperationPoliciesOptions) {
    this.#options = options;
  }

  /** Of the operations that have been used. */
  all(): ReadonlyMap<Operation, OperationPolicy> {
    return this.#policies;
  }

  use(operation: Operation): OperationPolicy {
    let policy = this.#policies.get(operation);
    if (policy === undefined) {
      policy = this.#create(operation);
      this.#policies.set(operation, policy);
    }
    policy.lastUsedAtMs = this.#options.clock();
    return policy;
  }

  /** Ends the pauses between attempts, and stops the timers of the circuits. */
  shutdown(): void {
    this.#stopping.abort();
    for (const { circuit } of this.#policies.values()) circuit.shutdown();
  }

  #create(operation: Operation): OperationPolicy {
    const { operator, limits, admission, observer, clock, random } = this.#options;
    const { priority, repeatAfterUnknown } = OPERATION_TRAITS[operation];
    return {
      circuit: new Circuit(limits.circuit, {
        clock,
        random,
        onChange: (state, cause) => observer.circuitChanged(operator, operation, state, cause),
      }),
      compartment: admission.add(priority),
      rules: {
        maxAttempts: limits.maxAttempts,
        repeatAfterUnknown,
        budget: new RetryBudget(clock),
        random,
        stopping: this.#stopping.signal,
        onRetry: () => observer.retried(operation),
      },
      lastUsedAtMs: 0,
    };
  }
}

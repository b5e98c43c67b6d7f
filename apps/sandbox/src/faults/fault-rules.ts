import { type Operation, PlatformError } from '../interface/documents.ts';
import type { Settings } from '../settings/settings.ts';
import { type Fault, FAULTS, type OtherFault } from './faults.ts';

/** The requests that a fault applies to. */
export interface FaultRule {
  /** If undefined, the fault applies to every operation. */
  readonly operation: Operation | undefined;
  /** The number of requests that it applies to. If undefined, it applies until it is removed. */
  readonly count: number | undefined;
  /** The fraction of the matching requests, above 0 and up to 1. If undefined, it applies to all of them. */
  readonly share: number | undefined;
  readonly fault: Fault;
}

export interface StandingRule extends FaultRule {
  readonly id: number;
  /** The number of remaining requests, if `count` was given. */
  remaining: number | undefined;
}

export type PlannedFaults = ReturnType<FaultRules['take']>;

const MAX_RULES = 1_000;

/**
 * The requested faults, and the delay of every answer. Rules are tried in the order in which they were added.
 */
export class FaultRules {
  latency: Settings['latency'];
  /** By their ids. */
  readonly rules = new Map<string, StandingRule>();
  private nextId = 1;

  /** @param random returns a number from 0 to 1, for fractions of requests and the spread of latencies */
  constructor(
    private readonly initialLatency: Settings['latency'],
    private readonly random: () => number,
  ) {
    this.latency = initialLatency;
  }

  /** @throws PlatformError 409 if there are already 1,000 faults */
  add(rule: FaultRule): StandingRule {
    if (this.rules.size >= MAX_RULES)
      throw new PlatformError(409, { detail: 'Too many faults are active; remove some.' });
    const standing = { ...rule, id: this.nextId++, remaining: rule.count };
    this.rules.set(String(standing.id), standing);
    return standing;
  }

  clear(): void {
    this.rules.clear();
    this.latency = this.initialLatency;
  }

  /** Selects a latency and another fault for a request, and decrements their counts. */
  take(operation: Operation) {
    let latency: Extract<Fault, { kind: 'latency' }> | undefined;
    let other: OtherFault | undefined;
    for (const [id, rule] of this.rules) {
      const { operation: only = operation, share = 1, fault } = rule;
      const isFor = only === operation && FAULTS[fault.kind].operations.includes(operation);
      const isTaken = (fault.kind === 'latency' ? latency : other) !== undefined;
      if (!isFor || isTaken || (share < 1 && this.random() >= share)) continue;
      if (fault.kind === 'latency') latency = fault;
      else other = fault;
      if (rule.remaining !== undefined && --rule.remaining === 0) this.rules.delete(id);
    }

    const { fixedMs, spreadMs } = this.latency;
    const wholeSpreadMs = spreadMs + (latency?.spreadMs ?? 0);
    const randomMs = wholeSpreadMs > 0 ? this.random() * wholeSpreadMs : 0;
    return {
      kinds: [latency, other].flatMap((fault) => fault?.kind ?? []),
      delayMs: fixedMs + (latency?.fixedMs ?? 0) + randomMs,
      fault: other,
    };
  }
}

import type { Operation } from '../interface/documents.ts';
import type { Settings } from '../settings/settings.ts';
import { type Fault, type FaultKind, isPlayable, type OtherFault } from './faults.ts';

/** Which requests a fault is for. */
export interface FaultRule {
  /** Absent: every operation. */
  readonly operation?: Operation;
  /** How many requests it is for; absent: until it is removed. */
  readonly count?: number;
  /** The share of the matching requests, above 0 and up to 1; absent: all of them. */
  readonly share?: number;
  readonly fault: Fault;
}

export interface StandingRule extends FaultRule {
  readonly id: number;
  /** The remaining requests, if they are counted. */
  remaining?: number;
}

export interface PlannedFaults {
  readonly latency?: Extract<Fault, { kind: 'latency' }>;
  readonly fault?: OtherFault;
}

export function kindsOf({ latency, fault }: PlannedFaults): FaultKind[] {
  return [latency?.kind, fault?.kind].filter((kind) => kind !== undefined);
}

const MAX_RULES = 1_000;

/** The requested faults. Rules are tried in the order in which they were added. */
export class FaultRules {
  private rules: StandingRule[] = [];
  private nextId = 1;

  /** @param random from 0 to 1, for shares */
  constructor(private readonly random: () => number) {}

  get isFull(): boolean {
    return this.rules.length >= MAX_RULES;
  }

  add(rule: FaultRule): StandingRule {
    const standing = {
      ...rule,
      id: this.nextId++,
      ...(rule.count !== undefined && { remaining: rule.count }),
    };
    this.rules.push(standing);
    return standing;
  }

  list(): readonly StandingRule[] {
    return this.rules;
  }

  /** @returns whether there was such a rule */
  remove(id: number): boolean {
    const before = this.rules.length;
    this.rules = this.rules.filter((rule) => rule.id !== id);
    return this.rules.length < before;
  }

  clear(): void {
    this.rules = [];
  }

  /** Selects a latency and another fault for a request, and decrements their counts. */
  take(operation: Operation): PlannedFaults {
    let planned: PlannedFaults = {};
    for (const rule of this.rules) {
      const { operation: only, share = 1, fault } = rule;
      const slot = fault.kind === 'latency' ? 'latency' : 'fault';
      if ((only && only !== operation) || !isPlayable(fault.kind, operation) || planned[slot]) continue;
      if (share < 1 && this.random() >= share) continue;
      planned = { ...planned, [slot]: fault };
      if (rule.remaining !== undefined) rule.remaining -= 1;
    }
    if (this.rules.some(({ remaining }) => remaining === 0))
      this.rules = this.rules.filter(({ remaining }) => remaining !== 0);
    return planned;
  }
}

/** The delay of every answer; the control API changes it. */
export class Latency {
  current: Settings['latency'];

  /** @param random from 0 to 1, for the spread */
  constructor(
    readonly initial: Settings['latency'],
    private readonly random: () => number,
  ) {
    this.current = initial;
  }

  /** The delay of one request, in milliseconds; `further` is the delay of a fault. */
  draw(further: Settings['latency'] = { fixedMs: 0, spreadMs: 0 }): number {
    const spreadMs = this.current.spreadMs + further.spreadMs;
    return this.current.fixedMs + further.fixedMs + (spreadMs > 0 ? this.random() * spreadMs : 0);
  }
}

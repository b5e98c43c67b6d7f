import type { ClassConstructor } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import type { Fault, FaultKind } from '../faults/fault.ts';
import type { FaultRule } from '../faults/fault-rules.ts';
import { OPERATIONS, type Operation } from '../traffic/operation.ts';
import { Problem } from './problem.ts';
import { validBody } from './valid-body.ts';

const MAX_MS = 600_000;

abstract class NewRule {
  @IsIn(OPERATIONS) @IsOptional() operation?: Operation;
  @IsInt() @Min(1) @IsOptional() count?: number;
  @IsNumber() @Min(0.000_001) @Max(1) @IsOptional() share?: number;
  @IsOptional() kind!: FaultKind;
  /** The members of the rule that are the fault's own. */
  abstract fault(): Fault;
}

class LatencyRule extends NewRule {
  @IsInt() @Min(0) @Max(MAX_MS) fixedMs!: number;
  @IsInt() @Min(0) @Max(MAX_MS) @IsOptional() spreadMs?: number;

  fault(): Fault {
    return { kind: 'latency', fixedMs: this.fixedMs, spreadMs: this.spreadMs ?? 0 };
  }
}

class StatusRule extends NewRule {
  @IsInt() @Min(400) @Max(599) status!: number;
  /** Seconds, or a date as HTTP writes it. */
  @Matches(/^[\x20-\x7e]+$/) @IsOptional() retryAfter?: string;

  fault(): Fault {
    return {
      kind: 'status',
      status: this.status,
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }
}

const RULES: Readonly<Record<FaultKind, ClassConstructor<NewRule>>> = {
  latency: LatencyRule,
  status: StatusRule,
};

/**
 * Checks a fault that somebody asks for: its `kind` and the members that belong to it, and which requests it is for.
 * @throws Problem 422 with every violation
 */
export function readFaultRule(body: unknown): FaultRule {
  const kind = (body as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(RULES, kind))
    throw new Problem(422, 'There is no such fault.', [
      { pointer: '/kind', message: `must be one of ${Object.keys(RULES).join(', ')}` },
    ]);
  const rule = validBody(RULES[kind as FaultKind], body);
  const { operation, count, share } = rule;
  return {
    ...(operation && { operation }),
    ...(count !== undefined && { count }),
    ...(share !== undefined && { share }),
    fault: rule.fault(),
  };
}

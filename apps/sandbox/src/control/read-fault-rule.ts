import { isPlayable, type FaultKind } from '../faults/fault.ts';
import type { FaultRule } from '../faults/fault-rules.ts';
import { FAULT_BODIES } from './fault-bodies.ts';
import { Problem } from './problem.ts';
import { validBody } from './valid-body.ts';

/**
 * Validates a requested fault.
 * @throws Problem 422 with every violation
 */
export function readFaultRule(body: unknown): FaultRule {
  const kind = (body as { kind?: unknown } | null | undefined)?.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(FAULT_BODIES, kind))
    throw refusal('/kind', `must be one of ${Object.keys(FAULT_BODIES).join(', ')}`);

  const rule = validBody(FAULT_BODIES[kind as FaultKind], body);
  const { operation, count, share } = rule;
  const fault = rule.fault();
  if (operation && !isPlayable(fault, operation))
    throw refusal('/operation', 'must be a report for this fault');
  return {
    ...(operation && { operation }),
    ...(count !== undefined && { count }),
    ...(share !== undefined && { share }),
    fault,
  };
}

function refusal(pointer: string, message: string): Problem {
  return new Problem(422, 'There is no such fault.', [{ pointer, message }]);
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { FaultRules, type FaultRule, type StandingRule } from '../faults/fault-rules.ts';
import { FAULTS, faultOf, isFaultKind, isPlayable, membersOf, type FaultKind } from '../faults/faults.ts';
import { anyValue, integer, number, oneOf, type Rule, type Shape } from '../interface/members.ts';
import { OPERATIONS } from '../interface/documents.ts';
import { checkBody, Problem } from './problem.ts';

/** Requests, lists and removes faults. */
@Controller('sandbox/faults')
export class FaultsController {
  constructor(private readonly faults: FaultRules) {}

  @Post()
  add(@Body() body: unknown): StandingRule {
    const read = readFaultRule(body);
    if (this.faults.isFull) throw new Problem(409, 'Too many faults are active; remove some.');
    return this.faults.add(read);
  }

  @Get()
  list(): readonly StandingRule[] {
    return this.faults.list();
  }

  @Delete()
  @HttpCode(204)
  clear(): void {
    this.faults.clear();
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string): void {
    if (!this.faults.remove(Number(id)))
      throw new Problem(404, 'There is no such fault, or it has been used up.');
  }
}

/**
 * Checks a requested fault: which requests it is for, and the members of its kind.
 * @throws Problem 422 with every violation
 */
export function readFaultRule(body: unknown): FaultRule {
  const kind = (body as { kind?: unknown } | null | undefined)?.kind;
  if (!isFaultKind(kind)) throw refusal('/kind', `must be one of ${Object.keys(FAULTS).join(', ')}`);
  type RuleBody = Omit<FaultRule, 'fault'> & Readonly<Record<string, unknown>>;
  const { operation, count, share, ...members } = checkBody<RuleBody>(body, shapeOf(kind));
  if (operation && !isPlayable(kind, operation))
    throw refusal('/operation', 'must be one that this fault can be for');
  return {
    ...(operation && { operation }),
    ...(count !== undefined && { count }),
    ...(share !== undefined && { share }),
    fault: faultOf(kind, members),
  };
}

function shapeOf(kind: FaultKind): Shape {
  const required: Record<string, Rule> = { kind: anyValue };
  const optional: Record<string, Rule> = {
    operation: oneOf(OPERATIONS),
    count: integer(1),
    share: number(0.000_001, 1),
  };
  for (const [name, { isRequired, rule }] of membersOf(kind)) (isRequired ? required : optional)[name] = rule;
  return { required, optional };
}

function refusal(pointer: string, message: string): Problem {
  return new Problem(422, 'There is no such fault.', [{ pointer, message }]);
}

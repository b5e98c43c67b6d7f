import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { type FaultRule, FaultRules, Latency, type StandingRule } from '../faults/fault-rules.ts';
import { FAULTS, faultOf, isFaultKind, isPlayable, membersOf, type FaultKind } from '../faults/faults.ts';
import { OPERATIONS } from '../interface/documents.ts';
import { anyValue, integer, number, oneOf, type Rule, type Shape } from '../interface/members.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import { checkBody, Problem } from './problem.ts';

const DELAY = integer(0, 600_000);
const LATENCY = { required: { fixedMs: DELAY }, optional: { spreadMs: DELAY } };

/** Shows what the platform received, did and answered; plays faults; delays its answers; resets it. */
@Controller('sandbox')
export class ControlController {
  constructor(
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly faults: FaultRules,
    private readonly latency: Latency,
    private readonly log: TrafficLog,
  ) {}

  @Get('health')
  check() {
    return { status: 'ok' };
  }

  @Get('latency')
  showLatency(): Settings['latency'] {
    return this.latency.current;
  }

  @Put('latency')
  changeLatency(@Body() body: unknown): Settings['latency'] {
    const { fixedMs, spreadMs = 0 } = checkBody<{ fixedMs: number; spreadMs?: number }>(body, LATENCY);
    return (this.latency.current = { fixedMs, spreadMs });
  }

  @Post('faults')
  addFault(@Body() body: unknown): StandingRule {
    const read = readFaultRule(body);
    if (this.faults.isFull) throw new Problem(409, 'Too many faults are active; remove some.');
    return this.faults.add(read);
  }

  @Get('faults')
  listFaults(): readonly StandingRule[] {
    return this.faults.list();
  }

  @Delete('faults')
  @HttpCode(204)
  clearFaults(): void {
    this.faults.clear();
  }

  @Delete('faults/:id')
  @HttpCode(204)
  removeFault(@Param('id') id: string): void {
    if (!this.faults.remove(Number(id)))
      throw new Problem(404, 'There is no such fault, or it has been used up.');
  }

  @Get('counters')
  counters() {
    return this.log.counters();
  }

  /** The last 100 requests that ended, the newest first, without their signatures. */
  @Get('requests')
  requests() {
    return this.log.last();
  }

  /** Resets the sandbox to the state of its start. */
  @Post('reset')
  @HttpCode(204)
  reset(): void {
    for (const part of [this.players, this.sessions, this.faults, this.log]) part.clear();
    this.latency.current = this.latency.initial;
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

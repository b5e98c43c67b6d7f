import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { FaultRules, type StandingRule } from '../faults/fault-rules.ts';
import { Problem } from './problem.ts';
import { readFaultRule } from './read-fault-rule.ts';

/** Requests, lists and removes faults. */
@Controller('sandbox/faults')
export class FaultsController {
  constructor(private readonly faults: FaultRules) {}

  @Post()
  add(@Body() body: unknown): StandingRule {
    const rule = readFaultRule(body);
    if (this.faults.isFull) throw new Problem(409, 'Too many faults are active; remove some.');
    return this.faults.add(rule);
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

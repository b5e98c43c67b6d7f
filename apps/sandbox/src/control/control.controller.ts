import { Body, Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { FaultRules, Latency } from '../faults/fault-rules.ts';
import { integer } from '../interface/members.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import { checkBody } from './problem.ts';

const DELAY = integer(0, 600_000);
const LATENCY = { required: { fixedMs: DELAY }, optional: { spreadMs: DELAY } };

/** Shows what the platform received, did and answered; delays its answers; resets it. */
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

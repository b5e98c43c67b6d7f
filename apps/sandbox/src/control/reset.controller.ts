import { Controller, HttpCode, Post } from '@nestjs/common';
import { Archive } from '../archive/archive.ts';
import { FaultRules } from '../faults/fault-rules.ts';
import { Latency } from '../faults/latency.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';

/** Resets the sandbox to the state of its first start. */
@Controller('sandbox/reset')
export class ResetController {
  constructor(
    private readonly archive: Archive,
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly faults: FaultRules,
    private readonly latency: Latency,
    private readonly log: TrafficLog,
  ) {}

  @Post()
  @HttpCode(204)
  reset(): void {
    for (const part of [this.archive, this.players, this.sessions, this.faults, this.log]) part.clear();
    this.latency.reset();
  }
}

import { Controller, Get } from '@nestjs/common';
import { TrafficLog } from '../traffic/traffic-log.ts';

/** Shows what the platform received, did and answered. */
@Controller('sandbox')
export class TrafficController {
  constructor(private readonly log: TrafficLog) {}

  @Get('counters')
  counters() {
    return this.log.counters();
  }

  /** The last 100 requests that ended, the newest first, without their signatures. */
  @Get('requests')
  requests() {
    return this.log.last();
  }
}

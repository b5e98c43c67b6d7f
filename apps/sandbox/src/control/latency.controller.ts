import { Body, Controller, Get, Put } from '@nestjs/common';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Latency } from '../faults/latency.ts';
import type { LatencySettings } from '../settings.ts';
import { validBody } from './valid-body.ts';

class NewLatency {
  @IsInt() @Min(0) @Max(600_000) fixedMs!: number;
  @IsOptional() @IsInt() @Min(0) @Max(600_000) spreadMs?: number;
}

/** The delay of every answer of the platform. */
@Controller('sandbox/latency')
export class LatencyController {
  constructor(private readonly latency: Latency) {}

  @Get()
  show(): LatencySettings {
    return this.latency.get();
  }

  @Put()
  change(@Body() body: unknown): LatencySettings {
    const { fixedMs, spreadMs = 0 } = validBody(NewLatency, body);
    this.latency.set({ fixedMs, spreadMs });
    return this.latency.get();
  }
}

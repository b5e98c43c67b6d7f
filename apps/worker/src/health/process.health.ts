import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

/** The process itself. */
@Injectable()
export class ProcessHealth {
  readonly #indicators: HealthIndicatorService;

  constructor(indicators: HealthIndicatorService) {
    this.#indicators = indicators;
  }

  check(): HealthIndicatorResult {
    return this.#indicators.check('process').up({ uptimeSeconds: Math.floor(process.uptime()) });
  }
}

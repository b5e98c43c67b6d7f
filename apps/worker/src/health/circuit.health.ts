import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { PlatformClients } from '#platform';

/** The circuits towards the platform: shown, and never a reason for 503. */
@Injectable()
export class CircuitHealth {
  readonly #indicators: HealthIndicatorService;
  readonly #platform: PlatformClients;

  constructor(indicators: HealthIndicatorService, platform: PlatformClients) {
    this.#indicators = indicators;
    this.#platform = platform;
  }

  check(): HealthIndicatorResult {
    const indicator = this.#indicators.check('circuits');
    const circuits = this.#platform.circuits();
    const isWell = circuits.every(({ state }) => state === 'closed');
    return isWell ? indicator.up({ circuits }) : indicator.degraded({ circuits });
  }
}

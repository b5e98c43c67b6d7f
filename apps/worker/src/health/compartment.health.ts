import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';

import { compartmentsOf } from '../compartments.ts';

/** The fullest ones; the others are in the metrics. */
const MOST_SHOWN = 20;

/** What waits for whom: the compartments that hold something, the fullest first. Never a reason for 503. */
@Injectable()
export class CompartmentHealth {
  readonly #indicators: HealthIndicatorService;
  readonly #transport: PokerTransport;
  readonly #platform: PlatformClients;

  constructor(indicators: HealthIndicatorService, transport: PokerTransport, platform: PlatformClients) {
    this.#indicators = indicators;
    this.#transport = transport;
    this.#platform = platform;
  }

  check(): HealthIndicatorResult {
    const compartments = compartmentsOf(this.#transport.health, this.#platform)
      .filter(({ inFlight }) => inFlight > 0)
      .toSorted((a, b) => b.inFlight - a.inFlight)
      .slice(0, MOST_SHOWN);
    return this.#indicators.check('compartments').up({ compartments });
  }
}

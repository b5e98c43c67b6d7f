import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { PokerTransport } from '#messaging';

/** A lane that is paused on purpose resumes by itself. */
const SERVING: ReadonlySet<string> = new Set(['consuming', 'paused']);

/** The broker and the lanes: up once every lane consumes, or is paused on purpose. */
@Injectable()
export class BusHealth {
  readonly #indicators: HealthIndicatorService;
  readonly #transport: PokerTransport;

  constructor(indicators: HealthIndicatorService, transport: PokerTransport) {
    this.#indicators = indicators;
    this.#transport = transport;
  }

  check(): HealthIndicatorResult {
    const { isConnected, lastError, release, advice, lanes } = this.#transport.health;
    const indicator = this.#indicators.check('bus');
    const facts = {
      lanes: Object.fromEntries(lanes.map(({ lane, state, inFlight }) => [lane, { state, inFlight }])),
      ...(release !== undefined && { release }),
      ...(advice !== undefined && { advice }),
      ...(lastError !== undefined && { lastError }),
    };
    const isServing = isConnected && lanes.every(({ state }) => SERVING.has(state));
    return isServing ? indicator.up(facts) : indicator.down(facts);
  }
}

import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { type ConsumerState, type MessagingHealth, PokerTransport } from '#messaging';

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
    const { health } = this.#transport;
    const { lastError, release, advice, lanes } = health;
    const indicator = this.#indicators.check('bus');
    const facts = {
      lanes: Object.fromEntries(lanes.map(({ lane, state, inFlight }) => [lane, { state, inFlight }])),
      ...(release !== undefined && { release }),
      ...(advice !== undefined && { advice }),
      ...(lastError !== undefined && { lastError }),
    };
    return isServing(health) ? indicator.up(facts) : indicator.down(facts);
  }
}

/** Whether the worker is ready. */
export function isServing({ isConnected, lanes }: MessagingHealth): boolean {
  return isConnected && lanes.every(({ state }) => isServed(state));
}

/** Whether a lane is; one that is paused on purpose resumes by itself. */
export function isServed(state: ConsumerState): boolean {
  return state === 'consuming' || state === 'paused';
}

import { Controller, Get, Header } from '@nestjs/common';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';

import { type ConsumerState, type MessagingHealth, PokerTransport, type RedisState } from '#messaging';
import { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { compartmentsOf } from '../platform-state.ts';

/** The fullest compartments; the others are in the metrics. */
const MOST_COMPARTMENTS = 20;

/** Health for people on call and orchestrators. Source: bus contract, section 8. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly transport: PokerTransport,
    private readonly platform: PlatformClients,
  ) {}

  /** Whether the process can answer at all; a broker that is away is no reason for a restart. */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.#process()]);
  }

  /** Whether commands are consumed: up once every lane consumes, or is paused on purpose. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.#bus()]);
  }

  /** All indicators. An open circuit means that the platform fails, and is no reason for 503; nor is an unavailable Redis. */
  @Get()
  @HealthCheck()
  all(): Promise<HealthCheckResult> {
    const { redis } = this.transport.health;
    return this.checks.check([
      () => this.#process(),
      () => this.#bus(),
      () => this.#circuits(),
      () => this.#compartments(),
      ...(redis ? [() => this.#redis(redis)] : []),
    ]);
  }

  #process(): HealthIndicatorResult {
    return this.indicators.check('process').up({ uptimeSeconds: Math.floor(process.uptime()) });
  }

  #bus(): HealthIndicatorResult {
    const { health } = this.transport;
    const { lastError, release, advice, lanes } = health;
    const indicator = this.indicators.check('bus');
    const states = Object.fromEntries(lanes.map(({ lane, state, inFlight }) => [lane, { state, inFlight }]));
    const facts = { lanes: states, release, advice, lastError };
    return isServing(health) ? indicator.up(facts) : indicator.down(facts);
  }

  #circuits(): HealthIndicatorResult {
    const indicator = this.indicators.check('circuits');
    const circuits = this.platform.operations();
    const isWell = circuits.every(({ state }) => state === 'closed');
    return isWell ? indicator.up({ circuits }) : indicator.degraded({ circuits });
  }

  /** The compartments that hold something, the fullest first. */
  #compartments(): HealthIndicatorResult {
    const compartments = compartmentsOf(this.transport.health, this.platform)
      .filter(({ inFlight }) => inFlight > 0)
      .toSorted((a, b) => b.inFlight - a.inFlight)
      .slice(0, MOST_COMPARTMENTS);
    return this.indicators.check('compartments').up({ compartments });
  }

  #redis(state: RedisState): HealthIndicatorResult {
    const indicator = this.indicators.check('redis');
    if (state.kind === 'available') return indicator.up();
    if (state.kind !== 'away') return indicator.degraded({ reason: state.kind });
    return indicator.degraded({ reason: state.reason, since: new Date(state.sinceMs).toISOString() });
  }
}

/** The metrics, in the text format of Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  read(): Promise<string> {
    return this.metrics.registry.metrics();
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

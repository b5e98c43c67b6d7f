import { Controller, Get, Header } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthIndicatorResult } from '@nestjs/terminus';

import { platformSays } from '#contracts';
import { PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { FailureTally } from '../console/failure-tally.ts';
import { compartmentsOf, isServing } from '../platform-state.ts';
import { BROKER_BLOCKED, BROKER_PEOPLE, PLATFORM_PEOPLE, REDIS_AWAY, REDIS_PEOPLE } from '../who-acts.ts';

/** Maximum compartments shown, the fullest first; the metrics contain all of them. */
const MOST_COMPARTMENTS = 20;

/** Health for people on call and orchestrators. Source: bus contract, section 8. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly transport: PokerTransport,
    private readonly platform: PlatformClients,
    private readonly tally: FailureTally,
  ) {}

  /**
   * Reports whether the process can answer at all. An unavailable broker does not fail this check, because a
   * restart would not help.
   */
  @Get('live')
  @HealthCheck()
  live() {
    return this.checks.check([() => this.#process()]);
  }

  /** Reports whether commands are consumed: `up` once every lane consumes or is paused on purpose. */
  @Get('ready')
  @HealthCheck()
  ready() {
    return this.checks.check([() => this.#bus()]);
  }

  /**
   * All indicators. Neither an open circuit, which means that the platform fails, nor an unavailable Redis
   * causes a 503.
   */
  @Get()
  @HealthCheck()
  all() {
    return this.checks.check([
      () => ({ ...this.#process(), ...this.#bus(), ...this.#platform(), ...this.#redis() }),
    ]);
  }

  #process(): HealthIndicatorResult {
    return { process: { status: 'up', uptimeSeconds: Math.floor(process.uptime()) } };
  }

  #bus(): HealthIndicatorResult {
    const { health } = this.transport;
    const { lastError, release, advice } = health;
    const lanes = health.lanes.map(({ lane, state, inFlight }) => [lane, { state, inFlight }]);
    const facts = { lanes: Object.fromEntries(lanes) as object, release, advice, lastError };
    if (!health.isConnected) return { bus: { status: 'down', ...facts, ...this.#brokerTrouble() } };
    if (!isServing(health)) return { bus: { status: 'down', ...facts } };
    if (!health.isBlocked) return { bus: { status: 'up', ...facts } };
    const reason = `${BROKER_BLOCKED}: ${lastError}`;
    return { bus: { status: 'degraded', reason, ...this.#brokerTrouble(), ...facts } };
  }

  /** Since when RabbitMQ has been unavailable, and who acts. */
  #brokerTrouble() {
    const sinceMs = this.tally.troubledSinceMs('consuming', 'publishing');
    return { since: sinceMs && new Date(sinceMs).toISOString(), whoActs: BROKER_PEOPLE };
  }

  /** The circuits, and the compartments with in-flight commands, the fullest first. */
  #platform(): HealthIndicatorResult {
    const circuits = this.platform.operations();
    const open = circuits.filter(({ state }) => state !== 'closed').slice(0, MOST_COMPARTMENTS);
    const reason = open
      .map(({ operator, operation, cause, openForMs = 0 }) => {
        const seconds = Math.round(openForMs / 1000);
        return `${operation} of ${operator}: ${platformSays(cause)}, for ${seconds} s`;
      })
      .join('; ');
    const compartments = [...compartmentsOf(this.transport.health, this.platform).values()]
      .filter(({ inFlight }) => inFlight > 0)
      .toSorted((a, b) => b.inFlight - a.inFlight)
      .slice(0, MOST_COMPARTMENTS);
    return {
      circuits:
        open.length === 0
          ? { status: 'up', circuits }
          : { status: 'degraded', reason, whoActs: PLATFORM_PEOPLE, circuits },
      compartments: { status: 'up', compartments },
    };
  }

  #redis(): HealthIndicatorResult {
    const { redis } = this.transport.health;
    if (redis === undefined) return {};
    if (redis.kind === 'available') return { redis: { status: 'up' } };
    if (redis.kind !== 'away') return { redis: { status: 'degraded', reason: redis.kind } };
    const since = new Date(redis.sinceMs).toISOString();
    const reason = `${REDIS_AWAY}: ${redis.reason}`;
    return { redis: { status: 'degraded', reason, since, whoActs: REDIS_PEOPLE } };
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

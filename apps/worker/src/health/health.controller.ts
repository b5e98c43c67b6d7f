import { Controller, Get } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';

import { BusHealth } from './bus.health.ts';
import { CircuitHealth } from './circuit.health.ts';
import { CompartmentHealth } from './compartment.health.ts';
import { ProcessHealth } from './process.health.ts';
import { RedisHealth } from './redis.health.ts';

/** Health for people on call and orchestrators. Source: bus contract, section 8. */
@Controller('health')
export class HealthController {
  readonly #checks: HealthCheckService;
  readonly #process: ProcessHealth;
  readonly #bus: BusHealth;
  readonly #circuits: CircuitHealth;
  readonly #compartments: CompartmentHealth;
  readonly #redis: RedisHealth;

  constructor(
    checks: HealthCheckService,
    process: ProcessHealth,
    bus: BusHealth,
    circuits: CircuitHealth,
    compartments: CompartmentHealth,
    redis: RedisHealth,
  ) {
    this.#checks = checks;
    this.#process = process;
    this.#bus = bus;
    this.#circuits = circuits;
    this.#compartments = compartments;
    this.#redis = redis;
  }

  /** Whether the process can answer at all; a broker that is away is no reason for a restart. */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.#checks.check([() => this.#process.check()]);
  }

  /** Whether commands are consumed. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.#checks.check([() => this.#bus.check()]);
  }

  /** All indicators. An open circuit means that the platform fails, and is no reason for 503; nor is an unavailable Redis. */
  @Get()
  @HealthCheck()
  all(): Promise<HealthCheckResult> {
    return this.#checks.check([
      () => this.#process.check(),
      () => this.#bus.check(),
      () => this.#circuits.check(),
      () => this.#compartments.check(),
      ...this.#redis.checks(),
    ]);
  }
}

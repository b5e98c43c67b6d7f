import 'reflect-metadata';
import type { INestMicroservice, ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';

import {
  InternalKeys,
  MessagingModule,
  type MessagingModuleOptions,
  MessagingObserver,
  PokerTransport,
} from '#messaging';
import { createLogger } from '#telemetry';

import { callersOf } from '../../../apps/worker/src/callers.ts';
import { removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { until } from '../../support/until.ts';

/** Hears everything, and keeps nothing. */
export const SILENT = new Proxy({} as MessagingObserver, { get: () => () => undefined });

const optionsOf = (prefix: string, client: unknown): MessagingModuleOptions => ({
  settings: {
    AMQP_URL: [testBrokerUrl()],
    AMQP_PREFIX: prefix,
    LANES: ['interactive', 'reports'],
    INTERACTIVE_PREFETCH: 4,
    REPORTS_PREFETCH: 4,
    INTERACTIVE_DEADLINE_MS: 10_000,
    REPORTS_DEADLINE_MS: 10_000,
    MAX_COMMAND_BYTES: 65_536,
    DELIVERY_LIMIT: 5,
    REPORTS_RETRY_DELAYS_MS: [1_000],
    REPORTS_STALL_MS: 1_000,
    EVENTS: 'none',
    SHUTDOWN_GRACE_MS: 1_000,
    IDEMPOTENCY_TTL_MS: 1_000,
  },
  clientOf: () => client,
  callers: callersOf({ CALLERS_FILE: undefined }, createLogger('silent')),
  internalKeys: new InternalKeys(Buffer.alloc(32, 1)),
  onMismatch: (error) => {
    throw error;
  },
  pauseMs: () => undefined,
  isServed: () => true,
  observer: SILENT,
});

/** A Nest application that serves commands by the controllers of a test, as the documentation of Nest and ours say. */
export class NestApplication implements AsyncDisposable {
  readonly app: INestMicroservice;
  readonly caller: BusCaller;
  readonly #prefix: string;

  private constructor(app: INestMicroservice, caller: BusCaller, prefix: string) {
    this.app = app;
    this.caller = caller;
    this.#prefix = prefix;
  }

  /**
   * @param client what handlers call for any operator
   * @param options instead of the usual ones
   */
  static async start(
    { imports = [], ...metadata }: ModuleMetadata,
    client: unknown = {},
    options: Partial<MessagingModuleOptions> = {},
  ): Promise<NestApplication> {
    const prefix = uniquePrefix();
    const messaging = MessagingModule.forRootAsync({
      useFactory: () => ({ ...optionsOf(prefix, client), ...options }),
    });
    class TestModule {}
    const module = { module: TestModule, imports: [...imports, messaging], ...metadata };
    const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
      inject: [PokerTransport],
      useFactory: (strategy: PokerTransport) => ({ strategy }),
      logger: false,
    });
    const transport = app.get(PokerTransport);
    app.enableShutdownHooks();
    await app.listen();
    await until(
      'it consumes',
      () => transport.health.isConnected && transport.health.lanes[0]?.state === 'consuming',
    );
    return new NestApplication(app, await BusCaller.open(testBrokerUrl(), prefix), prefix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    await this.caller[Symbol.asyncDispose]();
    await removeTopology(testBrokerUrl(), this.#prefix, '1000');
  }
}

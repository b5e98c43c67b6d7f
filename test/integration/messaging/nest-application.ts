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

import { AllCallers } from '../../../apps/worker/src/callers.ts';
import { openConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { until } from '../../support/until.ts';

/** Hears everything, and keeps nothing. */
const SILENT = new Proxy({} as MessagingObserver, { get: () => () => undefined });

const optionsOf = (prefix: string): MessagingModuleOptions => ({
  urls: [testBrokerUrl()],
  prefix,
  lanes: ['interactive', 'reports'],
  prefetch: { interactive: 4, reports: 4 },
  budgetMs: { interactive: 10_000, reports: 10_000 },
  maxCommandBytes: 65_536,
  deliveryLimit: 5,
  retryDelaysMs: [1_000],
  stallMs: 1_000,
  events: 'none',
  graceMs: 1_000,
  hasOperator: () => true,
  callers: new AllCallers(),
  internalKeys: new InternalKeys(Buffer.alloc(32, 1)),
  onMismatch: (error) => {
    throw error;
  },
  pauseMs: () => undefined,
  isServed: () => true,
  idempotencyTtlMs: 1_000,
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

  static async start({ imports = [], ...metadata }: ModuleMetadata): Promise<NestApplication> {
    const prefix = uniquePrefix();
    const messaging = MessagingModule.forRootAsync({ useFactory: () => optionsOf(prefix) });
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
    await using cleaning = await openConnection();
    for (const queue of [
      'interactive',
      'reports',
      'reports.retry.1000',
      'quarantine',
      'dead-letters',
      'replies.undelivered',
    ])
      await cleaning.channel.deleteQueue(`${this.#prefix}.${queue}`);
    for (const exchange of ['commands', 'commands.unknown', 'events'])
      await cleaning.channel.deleteExchange(`${this.#prefix}.${exchange}`);
  }
}

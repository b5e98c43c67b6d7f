import { ConfigurableModuleBuilder, Module } from '@nestjs/common';

import { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { MemoryIdempotencyStore } from './idempotency/memory-idempotency-store.ts';
import { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
import type { MessagingOptions } from './messaging-options.ts';
import { PokerTransport } from './poker-transport.ts';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<MessagingOptions>()
  .setClassMethodName('forRoot')
  .build();

/** Provides the `PokerTransport`, the strategy of a Nest microservice, and the `IdempotencyStore`. */
@Module({
  providers: [
    { provide: IdempotencyStore, inject: [MODULE_OPTIONS_TOKEN], useFactory: storeOf },
    {
      provide: PokerTransport,
      inject: [MODULE_OPTIONS_TOKEN, IdempotencyStore],
      useFactory: (options: MessagingOptions, store: IdempotencyStore) => new PokerTransport(options, store),
    },
  ],
  exports: [PokerTransport, IdempotencyStore],
})
export class MessagingModule extends ConfigurableModuleClass {}

async function storeOf(options: MessagingOptions): Promise<IdempotencyStore> {
  const { settings, redisTls: tls, internalKeys, observer } = options;
  const { REDIS_URL: url, IDEMPOTENCY_TTL_MS: ttlMs, AMQP_PREFIX: prefix } = settings;
  if (url === undefined) return new MemoryIdempotencyStore(ttlMs, Date.now);
  const { Redis: client } = await import('ioredis');
  const onState = observer.redisChanged.bind(observer);
  return new RedisIdempotencyStore({ client, url, tls, prefix, ttlMs, internalKeys, onState });
}

export { CallerPolicy } from './envelope/reply-address.ts';
export { InternalKeys } from './envelope/seal.ts';
export { IdempotencyStore } from './idempotency/idempotency-store.ts';
export { MemoryIdempotencyStore } from './idempotency/memory-idempotency-store.ts';
export { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
export type { RedisState } from './idempotency/redis-connection.ts';
export {
  type CommandFacts,
  type CommandTrace,
  CommandTracer,
  type FailureFacts,
  MessagingObserver,
} from './observer/messaging-observer.ts';
export type { QueueOverview, KeptOverview } from './operator/queue-overview.ts';
export type { MessagingOptions } from './messaging-options.ts';
export { MessagingModule } from './messaging.module.ts';
export { CommandContext } from './command/command.ts';
export type { MessagingHealth } from './messaging.ts';
export { PokerTransport } from './poker-transport.ts';
export type { WrittenPage } from './replies/reply-message.ts';
export { lockOf, probeOf, topologyOf } from './topology/topology.ts';
export type { ConnectionState, ConsumerState } from '#rabbitmq';

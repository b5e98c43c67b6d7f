export { CallerPolicy } from './envelope/caller-policy.ts';
export { InternalKeys } from './envelope/internal-keys.ts';
export type { ConnectionState } from './rabbitmq/connection/broker-connection.ts';
export type { ConsumerState } from './rabbitmq/consuming/consumer-mode.ts';
export { IdempotencyStore } from './idempotency/idempotency-store.ts';
export { MemoryIdempotencyStore } from './idempotency/memory-idempotency-store.ts';
export { RedisIdempotencyStore } from './idempotency/redis-idempotency-store.ts';
export type { RedisState } from './idempotency/redis-connection.ts';
export {
  type CommandEnd,
  type CommandTrace,
  CommandTracer,
  type DeliveryFacts,
  type MessageKind,
} from './observer/command-tracer.ts';
export {
  type CommandFacts,
  type FailureFacts,
  MessagingObserver,
  type ParkingReason,
  type Postponement,
} from './observer/messaging-observer.ts';
export type { MessagingHealth } from './messaging.ts';
export { MessagingModule, type MessagingModuleOptions } from './messaging.module.ts';
export { CommandContext } from './command/command-context.ts';
export { laneWindow } from './pipeline/lane-window.ts';
export { PokerTransport } from './poker-transport.ts';
export type { EventPolicy } from './replies/event-message.ts';
export { QueueConsumer } from './rabbitmq/consuming/queue-consumer.ts';
export type { Delivery } from './rabbitmq/consuming/delivery.ts';
export { nextDelayMs } from './rabbitmq/retrying/next-delay.ts';
export { forwarderLockOf, topologyOf } from './topology/topology.ts';

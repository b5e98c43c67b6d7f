// A door of its own: who only calls does not load the transport, and Nest with it.
export { BusClient, type BusClientOptions, type BusCommand } from './bus-client.ts';
export { BusClientError, type BusClientFault } from './bus-client-error.ts';
export type { BusReply } from './bus-reply.ts';
export { type BrokerInspection, type BrokerInspectionOptions, inspectBroker } from './inspect-broker.ts';
export { inspectRedis, type RedisInspection } from './inspect-redis.ts';
export { brokerReleaseOf } from '../rabbitmq/connection/broker-release.ts';
export type { Standing } from '../rabbitmq/inspection/inspect-topology.ts';

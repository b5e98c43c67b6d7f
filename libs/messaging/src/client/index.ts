// A door of its own: who only calls does not load the transport, and Nest with it.
export { type BrokerInspection, type BrokerInspectionOptions, inspectBroker } from './inspect-broker.ts';
export type { KeptMessage } from '../kept/kept-message.ts';
export { type Kept, type KeptQueue, type KeptQueueOptions, openKeptQueue } from './open-kept-queue.ts';
export { redeliveredReply } from '../replies/forwarded-reply.ts';
export { Redriver, type Redriving } from './redriver.ts';
export { inspectRedis, type RedisInspection } from './inspect-redis.ts';
export { brokerUserOf, type KeptOutcome, type Standing } from '#rabbitmq';
export { workerPermissions } from '../topology/topology.ts';

// A separate entry point: a program without a worker does not load the transport and Nest.
export type { KeptMessage } from './kept-message.ts';
export { type Kept, KeptQueue, type KeptQueueOptions, type TakeOutcome } from './kept-queue.ts';
export { Redriver } from './redriver.ts';
export { inspectRedis } from '../idempotency/redis-connection.ts';
export { probeOf, topologyOf, workerPermissions } from '../topology/topology.ts';

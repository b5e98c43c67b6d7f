// A door of its own: who only calls does not load the transport, and Nest with it.
export type { KeptMessage } from '../kept/kept-message.ts';
export { type Kept, type KeptQueue, type KeptQueueOptions, openKeptQueue } from './open-kept-queue.ts';
export { redeliveredReply } from '../replies/forwarded-reply.ts';
export { Redriver } from './redriver.ts';
export { inspectRedis } from './inspect-redis.ts';
export { topologyOf, workerPermissions } from '../topology/topology.ts';

export { type MissingPermission, type Permissions } from './access.ts';
export { Broker } from './broker.ts';
export { boundHeaders, DROPPED_HEADERS } from './connection/bound-headers.ts';
export { alarmSentence, BriefConnection } from './connection/brief-connection.ts';
export {
  BrokerConnection,
  type BrokerConnectionOptions,
  type ConnectionState,
} from './connection/broker-connection.ts';
export { adviceFor, releaseOf } from './connection/broker-release.ts';
export { closeWithin } from './connection/close-within.ts';
export {
  brokerUserOf,
  BrokerError,
  type BrokerFault,
  type ConnectionTls,
  connectToAny,
} from './connection/connect.ts';
export { countsOf, depthOf, onChannel } from './connection/on-channel.ts';
export { within } from './connection/within.ts';
export type { Delivery } from './consuming/delivery.ts';
export { KEPT_BYTES } from './consuming/limit-bodies.ts';
export { ENCODED_BODY } from './consuming/amqp-1.0.ts';
export type { ConsumerState } from './consuming/consumer-mode.ts';
export { QueueConsumer } from './consuming/queue-consumer.ts';
export { inspectPermissions } from './inspection/inspect-permissions.ts';
export { inspectTopology, type Standing } from './inspection/inspect-topology.ts';
export { takesMessageOf } from './inspection/takes-message-of.ts';
export { depthAfterWalk } from './kept/depth-after-walk.ts';
export { type Kept, type KeptOutcome, KeptQueue } from './kept/kept-queue.ts';
export { QueueLock } from './kept/queue-lock.ts';
export { walkQueue } from './kept/walk-queue.ts';
export { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
export type { PublishOutcome } from './publishing/confirming-channel.ts';
export { DirectReplies } from './publishing/direct-replies.ts';
export type { OutgoingMessage } from './publishing/outgoing-message.ts';
export { MessageTooLargeError, PublishRefusedError, UnconfirmedError } from './publishing/publish-errors.ts';
export { nextDelayMs } from './retrying/next-delay.ts';
export { keepingQueue, lockQueue, retryQueue, workQueue } from './topology/queues.ts';
export type { QueueDeclaration, Topology } from './topology/topology.ts';
export { declareTopology, TopologyMismatchError } from './topology/declare-topology.ts';

export { inspectPermissions, type MissingPermission, type Permissions } from './access.ts';
export { Broker } from './broker.ts';
export { boundHeaders, DROPPED_HEADERS } from './connection/bound-headers.ts';
export { alarmSentence, BriefConnection } from './connection/brief-connection.ts';
export {
  BrokerConnection,
  type BrokerConnectionOptions,
  type ConnectionState,
} from './connection/broker-connection.ts';
export { adviceFor, releaseOf } from './connection/broker-release.ts';
export {
  brokerUserOf,
  BrokerError,
  type BrokerFault,
  type ConnectionTls,
  connectToAny,
} from './connection/connect.ts';
export { countsOf, depthOf, onChannel } from './connection/on-channel.ts';
export { closeWithin, within } from './connection/time-limits.ts';
export { type Delivery, ENCODED_BODY } from './consuming/delivery.ts';
export { KEPT_BYTES } from './consuming/limit-bodies.ts';
export { type ConsumerState, QueueConsumer } from './consuming/queue-consumer.ts';
export { inspectTopology, type Standing, takesMessageOf } from './inspection.ts';
export { type Kept, type KeptOutcome, KeptQueue } from './kept/kept-queue.ts';
export { QueueLock } from './kept/queue-lock.ts';
export { QueueWalk } from './kept/walk-queue.ts';
export { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
export { DirectReplies } from './publishing/direct-replies.ts';
export {
  type OutgoingMessage,
  type PublishOutcome,
  PublishRefusedError,
  UnconfirmedError,
} from './publishing/outgoing-message.ts';
export { keepingQueue, lockQueue, nextDelayMs, retryQueue, workQueue } from './topology/queues.ts';
export {
  declareTopology,
  type QueueDeclaration,
  type Topology,
  TopologyMismatchError,
} from './topology/declare-topology.ts';

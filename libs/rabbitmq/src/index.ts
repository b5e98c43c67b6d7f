export { inspectPermissions, type Permissions, permissionsLine, takesMessageOf } from './topology/access.ts';
export { Broker } from './broker.ts';
export { readAddress } from './connection/address.ts';
export { boundHeaders, DROPPED_HEADERS } from './amqplib/bound-headers.ts';
export { wireBytes } from './amqplib/property-bytes.ts';
export { alarmSentence, OneShotConnection } from './connection/one-shot-connection.ts';
export { BrokerConnection, type ConnectionState } from './connection/broker-connection.ts';
export { releaseOf } from './connection/broker-release.ts';
export { BrokerError, type ConnectionTls } from './connection/connect.ts';
export { countsOf, onChannel } from './channel/channel.ts';
export { NOT_FOUND } from './channel/refusal.ts';
export { pause, within } from './channel/time-limit.ts';
export { type Delivery, ENCODED_BODY } from './consuming/delivery.ts';
export { type ConsumerState, QueueConsumer } from './consuming/queue-consumer.ts';
export { QueueLock, takeLock } from './queues/queue-lock.ts';
export { walkQueue } from './queues/walk-queue.ts';
export { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
export { DIRECT_REPLY_TO } from './publishing/direct-replies.ts';
export {
  type OutgoingMessage,
  type PublishOutcome,
  PublishRefusedError,
  UnconfirmedError,
} from './outgoing-message.ts';
export {
  deadLetteringTo,
  type Declaration,
  declareTopology,
  inspectTopology,
  quorumQueue,
  type Standing,
  type Topology,
} from './topology/topology.ts';

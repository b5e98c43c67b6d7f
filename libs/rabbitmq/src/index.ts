export { inspectPermissions, type Permissions, permissionsLine, takesMessageOf } from './access.ts';
export { Broker } from './broker.ts';
export { readAddress } from './connection/address.ts';
export { boundHeaders, DROPPED_HEADERS } from './connection/bound-messages.ts';
export { wireBytes } from './connection/property-bytes.ts';
export { alarmSentence, BriefConnection } from './connection/brief-connection.ts';
export { BrokerConnection, type ConnectionState } from './connection/broker-connection.ts';
export { releaseOf } from './connection/broker-release.ts';
export { brokerUserOf, BrokerError, type ConnectionTls } from './connection/connect.ts';
export { countsOf, NOT_FOUND, onChannel, pause, within } from './connection/questions.ts';
export { type Delivery, ENCODED_BODY } from './consuming/delivery.ts';
export { type ConsumerState, QueueConsumer } from './consuming/queue-consumer.ts';
export { InFlight, type Place } from './in-flight.ts';
export { QueueLock, takeLock } from './kept/queue-lock.ts';
export { walkQueue } from './kept/walk-queue.ts';
export { ConfirmedPublisher } from './publishing/confirmed-publisher.ts';
export { DIRECT_REPLY_TO } from './publishing/direct-replies.ts';
export {
  type OutgoingMessage,
  type PublishOutcome,
  PublishRefusedError,
  UnconfirmedError,
} from './publishing/outgoing-message.ts';
export { setLast } from './set-last.ts';
export {
  deadLetteringTo,
  type Declaration,
  declareTopology,
  inspectTopology,
  quorumQueue,
  type Standing,
  type Topology,
} from './topology.ts';

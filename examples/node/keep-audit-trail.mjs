// Keeps an audit trail of poker-bridge: one line of JSON for each outcome, written to the disk before the
// event leaves its queue.
//
//   npm install <the packed file of libs/rabbitmq>
//   AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node keep-audit-trail.mjs trail.ndjson
import { once } from 'node:events';
import { open } from 'node:fs/promises';

import { BrokerConnection, declareTopology, QueueConsumer } from '@poker-bridge/rabbitmq';

const prefix = process.env.AMQP_PREFIX ?? 'poker';
const queue = `audit.${prefix}`;
const trail = await open(process.argv[2] ?? 'trail.ndjson', 'a');

// Without a length or a time to live, and practically without a delivery limit: nothing in it is dropped.
const topology = {
  exchanges: [],
  queues: [{ name: queue, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 } }],
  bindings: [{ queue, exchange: `${prefix}.events`, routingKey: '#' }],
};
const connection = new BrokerConnection({
  urls: [process.env.AMQP_URL],
  name: 'audit trail',
  setUp: async (model) => {
    await declareTopology(model, topology);
    console.log(`${queue} is bound to ${prefix}.events`);
  },
});
const consumer = new QueueConsumer({
  queue,
  prefetch: 100,
  handle: async (delivery) => {
    await trail.appendFile(`${JSON.stringify(lineOf(delivery.message))}\n`);
    await trail.datasync();
    delivery.acknowledge();
  },
});
consumer.start(connection);
connection.open();

await once(process, 'SIGTERM');
await consumer.drain(5_000);
await connection.close();
await trail.close();

/** No body: it may hold the ids of a player and a session. */
function lineOf({ fields, properties }) {
  const { headers } = properties;
  return {
    answeredAt: headers['answered-at'],
    caller: headers.caller,
    operator: headers.operator,
    command: headers['command-type'],
    id: headers['command-id'],
    outcome: fields.routingKey,
    attempts: headers.attempts,
    worker: headers.worker,
    event: properties.messageId,
  };
}

// Sends two commands to poker-bridge: opens the lobby for a player, and reads a report page by page.
//
//   npm install amqplib
//   AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node send-commands.mjs
import { randomUUID } from 'node:crypto';

import { connect } from 'amqplib';

const COMMANDS = `${process.env.AMQP_PREFIX ?? 'poker'}.commands`;
const TIMEOUT_MS = 15_000;

/** The final reply was `command.failed`; `error` is its body. */
class CommandFailed extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.error = error;
  }
}

const connection = await connect(process.env.AMQP_URL);
const channel = await connection.createChannel();
let publishing = await connection.createConfirmChannel();
// Gone with this connection. A durable queue of your own keeps replies while you are away.
const { queue: replyQueue } = await channel.assertQueue('', { exclusive: true });
const waiting = new Map();
await channel.consume(replyQueue, (message) => {
  const { correlationId } = message.properties;
  waiting.get(correlationId)?.(message);
  channel.ack(message);
});

/**
 * Publishes one command and waits for its final reply; `onPage` is called with each reply before it.
 *
 * The same `commandId` is the same command: send it again after a failure that is retryable.
 */
async function send(type, data, { onPage, commandId = randomUUID() } = {}) {
  const deadline = Date.now() + TIMEOUT_MS;
  const final = finalReplyTo(commandId, deadline, onPage);
  const published = publish(type, data, {
    messageId: commandId,
    correlationId: commandId,
    replyTo: replyQueue,
    contentType: 'application/json',
    persistent: true,
    headers: { 'x-deadline': String(deadline) },
  });
  const [reply] = await Promise.all([final, published]);
  return reply;
}

/** Resolves once the broker has it. A channel can stay refused after a node has died, so a refusal is retried on another. */
async function publish(type, data, properties, isSecond = false) {
  try {
    publishing.publish(COMMANDS, type, Buffer.from(JSON.stringify(data)), properties);
    await publishing.waitForConfirms();
  } catch (error) {
    if (isSecond) throw error;
    publishing = await connection.createConfirmChannel();
    await publish(type, data, properties, true);
  }
}

function finalReplyTo(commandId, deadline, onPage) {
  const seen = new Set();
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      clearTimeout(timer);
      waiting.delete(commandId);
      settle(value);
    };
    // A command is answered no later than one second after its deadline.
    const timer = setTimeout(
      () => end(reject, new Error(`no final reply to ${commandId}; is a worker running?`)),
      deadline + 2_000 - Date.now(),
    );
    waiting.set(commandId, ({ content, properties: { type, messageId, headers } }) => {
      // Over a redelivery a reply may come again, under the same id and type.
      const key = `${messageId} ${type}`;
      if (seen.has(key)) return;
      seen.add(key);
      const reply = JSON.parse(content.toString());
      if (type === 'command.failed') end(reject, new CommandFailed(reply));
      else if (headers.final) end(resolve, reply);
      else onPage(reply);
    });
  });
}

try {
  const game = await send('game.open', { player: { id: 'player-1' }, session: { lang: 'en' } });
  console.log('lobby:', game.url);

  const period = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 200 };
  const report = await send('report.rake.fetch', period, {
    onPage: ({ page, pageCount, records }) =>
      console.log(`page ${page} of ${pageCount}: ${records.length} records`),
  });
  console.log(`complete: ${report.records} records`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await connection.close();
}

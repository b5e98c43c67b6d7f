// A careful worker without a framework: the reply is persistent, and confirmed by the broker before the command is
// acknowledged.
import { connect, type ConsumeMessage } from 'amqplib';

import { createSession, type SessionData } from './create-session.ts';
import { settings } from './peer-settings.ts';

const { amqpUrl, queue, queueType, prefetch } = settings;
const connection = await connect(amqpUrl);
const channel = await connection.createConfirmChannel();
await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': queueType } });
await channel.prefetch(prefetch);
await channel.consume(queue, (message) => {
  if (message !== null) void handle(message);
});

async function handle(message: ConsumeMessage): Promise<void> {
  const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
  try {
    const session = await createSession(JSON.parse(message.content.toString()) as SessionData);
    channel.sendToQueue(
      replyTo,
      Buffer.from(JSON.stringify(session)),
      { correlationId, contentType: 'application/json', persistent: true },
      (error) => (error ? channel.nack(message) : channel.ack(message)),
    );
  } catch (error) {
    console.error(error);
    channel.nack(message);
  }
}

process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await channel.close();
  await connection.close();
}

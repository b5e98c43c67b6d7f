// rabbitmq-client's consumer and publisher, as shown in its documentation: the reply is persistent, and
// confirmed by the broker before the handler ends, which acknowledges the command.
import { Connection } from 'rabbitmq-client';

import { createSession, type SessionData, settings } from './peer.ts';

const { amqpUrl, queue, queueType, prefetch } = settings;
const rabbit = new Connection(amqpUrl);
rabbit.on('error', (error) => console.error('connection', error));

const replies = rabbit.createPublisher({ confirm: true, maxAttempts: 2 });

const commands = rabbit.createConsumer(
  {
    queue,
    queueOptions: { durable: true, arguments: { 'x-queue-type': queueType } },
    qos: { prefetchCount: prefetch },
  },
  async ({ body, replyTo, correlationId }) => {
    const session = await createSession(body as SessionData);
    await replies.send(
      { routingKey: replyTo ?? '', correlationId: correlationId ?? '', durable: true },
      session,
    );
  },
);
commands.on('error', (error) => console.error('consumer', error));

process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await commands.close();
  await replies.close();
  await rabbit.close();
}

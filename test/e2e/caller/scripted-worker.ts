import type { ConsumeMessage } from 'amqplib';

import { COMMAND_TYPES } from '#contracts';

import { openConnection } from '../../support/broker.ts';

/** A reply message without its reply queue. */
export type RawReply = Pick<ConsumeMessage, 'properties' | 'content'>;

/**
 * Consumes all commands of a prefix on the broker of the run and publishes the replies that `answer` returns.
 */
export async function startScriptedWorker(
  prefix: string,
  answer: (command: ConsumeMessage) => Promise<readonly RawReply[]>,
) {
  await using stack = new AsyncDisposableStack();
  const { channel } = stack.use(await openConnection());
  const exchange = `${prefix}.commands`;
  await channel.assertExchange(exchange, 'direct');
  stack.defer(async () => void (await channel.deleteExchange(exchange)));
  await channel.assertQueue(prefix, { exclusive: true });
  for (const type of COMMAND_TYPES) await channel.bindQueue(prefix, exchange, type);
  const reply = async (command: ConsumeMessage): Promise<void> => {
    for (const { content, properties } of await answer(command))
      channel.sendToQueue(String(command.properties.replyTo), content, properties);
  };
  await channel.consume(prefix, (command) => command && void reply(command), { noAck: true });
  const stop = stack.move();
  return { channel, [Symbol.asyncDispose]: () => stop.disposeAsync() };
}

import { type ConfirmChannel, connect, type ConsumeMessage } from 'amqplib';

export const settings = {
  amqpUrl: process.env['AMQP_URL'] ?? '',
  queue: process.env['QUEUE'] ?? '',
  queueType: process.env['QUEUE_TYPE'] === 'quorum' ? 'quorum' : 'classic',
  prefetch: Number(process.env['PREFETCH'] ?? 100),
  baseUrl: process.env['PLATFORM_BASE_URL'] ?? '',
  clientId: process.env['PLATFORM_CLIENT_ID'] ?? '',
  secretKey: process.env['PLATFORM_SECRET_KEY'] ?? '',
} as const;

/** Consumes with amqplib alone, on a channel that confirms, until SIGTERM. */
export async function consumeBare(
  prefetch: number,
  handle: (message: ConsumeMessage, channel: ConfirmChannel) => Promise<void>,
): Promise<void> {
  const { amqpUrl, queue, queueType } = settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': queueType } });
  await channel.prefetch(prefetch);
  await channel.consume(queue, (message) => message && void handle(message, channel));
  process.once('SIGTERM', () => void channel.close().then(() => connection.close()));
}

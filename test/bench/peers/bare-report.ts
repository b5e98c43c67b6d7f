// A report without a framework: each page is fetched, parsed and published, and the next one fetched once the broker has
// confirmed it. Nothing is checked, and nothing is tried again.
import { connect, type ConsumeMessage } from 'amqplib';

import { settings } from './peer-settings.ts';
import { post } from './create-session.ts';

interface ReportDocument {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly meta: Readonly<Record<string, number>>;
}

const { amqpUrl, queue } = settings;
const connection = await connect(amqpUrl);
const channel = await connection.createConfirmChannel();
await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
await channel.prefetch(1);
await channel.consume(queue, (message) => {
  if (message !== null) void handle(message);
});

async function handle(message: ConsumeMessage): Promise<void> {
  const { replyTo } = message.properties as { replyTo: string };
  const { perPage, ...form } = JSON.parse(message.content.toString()) as Record<string, string>;
  for (let page = 1, pageCount = 1; page <= pageCount; page += 1) {
    const query = `&per-page=${perPage}&page=${page}`;
    const { data, meta } = (await post('reports/ad_hoc', query, form)) as ReportDocument;
    pageCount = meta['page-count'] ?? 0;
    const records = data.map(({ id, attributes }) => ({ id, ...attributes }));
    const content = Buffer.from(
      JSON.stringify({ page, pageCount, totalCount: meta['total-count'], records }),
    );
    await publish(replyTo, content, { type: 'report.page', headers: { sequence: page - 1, final: false } });
  }
  await publish(replyTo, Buffer.from('{}'), { type: 'report.completed', headers: { final: true } });
  channel.ack(message);
}

function publish(to: string, content: Buffer, options: object): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.sendToQueue(
      to,
      content,
      { ...options, persistent: true, contentType: 'application/json' },
      (error: Error | null) => (error ? reject(error) : resolve()),
    );
  });
}

process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await channel.close();
  await connection.close();
}

// A report without a framework: each page is fetched, parsed and published, and the next one fetched once the
// broker has confirmed it. It checks nothing and retries nothing.
import { consumeBare, post } from './peer.ts';

interface ReportDocument {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly meta: Readonly<Record<string, number>>;
}

await consumeBare(1, async (message, channel) => {
  const { replyTo } = message.properties as { replyTo: string };
  const publish = (content: object, options: object): Promise<void> => {
    const properties = { ...options, persistent: true, contentType: 'application/json' };
    channel.sendToQueue(replyTo, Buffer.from(JSON.stringify(content)), properties);
    return channel.waitForConfirms();
  };
  const { perPage, ...form } = JSON.parse(message.content.toString()) as Record<string, string>;
  for (let page = 1, pageCount = 1; page <= pageCount; page += 1) {
    const query = `&per-page=${perPage}&page=${page}`;
    const { data, meta } = (await post('reports/ad_hoc', query, form)) as ReportDocument;
    pageCount = meta['page-count'] ?? 0;
    const records = data.map(({ id, attributes }) => ({ id, ...attributes }));
    const content = { page, pageCount, totalCount: meta['total-count'], records };
    await publish(content, { type: 'report.page', headers: { sequence: page - 1, final: false } });
  }
  await publish({}, { type: 'report.completed', headers: { final: true } });
  channel.ack(message);
});
